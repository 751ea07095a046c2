/**
 * What `create-troupe` makes, from its tarball and in an empty folder: it starts by one command and without a key, its page has
 * what it loads, a run streams and waits for a person, a restart keeps the run, its test passes, and its types hold.
 */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, type StrangerProject } from '../stranger-project.ts'

export function checkCreateTroupe(project: StrangerProject): void {
  const folder = join(project.directory, 'empty')
  mkdirSync(folder)
  const source = join(root, 'packages/create-troupe')
  const packed = project.run(
    'npm',
    ['pack', '--ignore-scripts', '--json', '--pack-destination', project.directory],
    source,
  )
  const [first] = JSON.parse(packed) as { readonly filename: string }[]
  if (first === undefined) throw new Error('npm pack made nothing of create-troupe.')
  const tarball = join(project.directory, first.filename)
  const made = ['exec', '--yes', '--prefer-offline', `--package=${tarball}`, '--', 'create-troupe']
  const tour = join(project.directory, 'tour-of-app.mjs')
  cpSync(join(import.meta.dirname, 'tour-of-app.mjs'), tour)
  project.run('node', [tour, 'npm', ...made, '.', '--start', '--troupe', project.tarball], folder)
  project.run('node', [tour, 'npm', 'start', '--again'], folder)
  project.run('npm', ['test'], folder)
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable', 'dom', 'dom.asynciterable'],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    skipLibCheck: true,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src', 'test'] }))
  project.compile('typescript', folder)
}
