/**
 * Packs the built package and looks at it as a user does: publint and attw read the tarball, an empty project
 * installs it, its types are compiled against, and a program runs on it under plain node.
 */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { StrangerProject } from './stranger-project.ts'

/** Strict, libraries included, and without the types of node: the package must not need them. */
const compilerOptions = {
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable', 'dom'],
  module: 'nodenext',
  strict: true,
  types: [],
  noEmit: true,
}

using project = new StrangerProject()
project.run('publint', [project.tarball, '--strict'])
project.run('attw', [project.tarball, '--profile', 'esm-only'])

copyFileSync(join(import.meta.dirname, 'smoke.ts'), join(project.directory, 'smoke.ts'))
project.write('tsconfig.json', { compilerOptions, include: ['smoke.ts'] })
project.install()
project.compile('typescript', '.')
project.run('node', ['smoke.ts'])
