/**
 * Packs the built package and looks at it as a user does: publint and attw read the tarball, an empty project
 * installs it, its types are compiled against, and programs run on it under plain node: one of ours, and the suite of
 * an app as docs/test/cover-machine.md shows it.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { reachedDeclarations } from './build/reached-declarations.ts'
import { linksIn } from '../test/support/markdown.ts'
import { root, StrangerProject } from './stranger-project.ts'

/** Strict, libraries included, and without the types of node: the package must not need them. */
const compilerOptions = {
  target: 'es2024',
  lib: ['es2024', 'esnext.disposable', 'dom'],
  module: 'nodenext',
  strict: true,
  types: [],
  noEmit: true,
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>
}

/** Beyond these the package has something that no user needs. */
const mostFiles = 1_500
const mostBytes = 8 * 1024 ** 2

/** Folders that stay in the repository: the pages of the package link to them there. */
const leftOut = ['docs/design/', 'docs/images/', 'bench/README.md/', 'CONTRIBUTING.md/']

using project = new StrangerProject()
project.run('publint', [project.tarball, '--strict'])
// The element is a script for pages: nothing of it is imported.
project.run('attw', [project.tarball, '--profile', 'esm-only', '--exclude-entrypoints', 'troupe-run.js'])
assertLinked(project.files, ['README.md', 'docs/', 'examples/'])
assertAscii(project.files)
assertSmall(project)

copyFileSync(join(import.meta.dirname, 'smoke.ts'), join(project.directory, 'smoke.ts'))
writeFileSync(join(project.directory, 'cover.ts'), codeOf('docs/test/cover-machine.md'))
project.write('tsconfig.json', { compilerOptions, include: ['smoke.ts', 'cover.ts'] })
project.install([`n3@${manifest.devDependencies['n3']}`]) // the peer of a subpath that the program uses
project.compile('typescript', '.')
project.run('node', ['smoke.ts'])
const covered = project.run('node', ['cover.ts'])
if (!covered.endsWith('\n5 of 5 transitions\n'))
  throw new Error('The suite of docs/test/cover-machine.md does not cover its app.')

/** Throws for a link of these pages and folders that leads out of the package. */
function assertLinked(files: readonly string[], places: readonly string[]): void {
  const leadsInside = (target: string): boolean =>
    leftOut.some((folder) => `${target}/`.startsWith(folder)) ||
    files.includes(target) ||
    files.some((file) => file.startsWith(`${target}/`))
  const pages = files.filter((file) => file.endsWith('.md') && places.some((place) => file.startsWith(place)))
  const dead = pages.flatMap((page) =>
    linksIn(readFileSync(join(root, page), 'utf8'))
      .map(({ target }) => target.split('#')[0] ?? '')
      .filter(
        (target) => target !== '' && !/^https?:/.test(target) && !leadsInside(join(dirname(page), target)),
      )
      .map((target) => `${page}: ${target}`),
  )
  if (dead.length > 0) throw new Error(`Links lead out of the package:\n${dead.join('\n')}`)
  console.log(`\nNo link of ${pages.length} pages leads out of the package.`)
}

/** Throws for a package that has grown large: by declarations that nobody reads, maps, or a second copy of what is there. */
function assertSmall({ files, unpackedSize }: StrangerProject): void {
  if (files.length > mostFiles || unpackedSize > mostBytes)
    throw new Error(`The package has ${files.length} files and ${unpackedSize} bytes.`)
  const entries = files
    .filter((file) => file.endsWith('.d.cts'))
    .map((file) => file.replace(/\.d\.cts$/, '.d.ts'))
  const reached = reachedDeclarations(entries.map((file) => join(root, file)))
  const others = files.filter((file) => file.endsWith('.d.ts') && !reached.has(join(root, file)))
  if (entries.length === 0) throw new Error('The package has no declarations.')
  if (others.length > 0) throw new Error(`No entry reaches these declarations: ${others.join(', ')}`)
  console.log(`\nThe package has ${files.length} files and ${(unpackedSize / 1e6).toFixed(1)} MB.`)
}

/** Throws for a module that V8 would keep in twice the memory, and read more slowly: one with a character beyond ASCII. */
function assertAscii(files: readonly string[]): void {
  const modules = files.filter((file) => /^dist\/(?!inspector\/page\/).*\.c?js$/.test(file))
  const others = modules.filter((file) => /[^\0-\x7f]/.test(readFileSync(join(root, file), 'utf8')))
  if (modules.length === 0) throw new Error('The package has no modules.')
  if (others.length > 0) throw new Error(`These modules are not ASCII: ${others.join(', ')}`)
}

/** The first code block of a page. */
function codeOf(page: string): string {
  const code = /^```ts\n([^\0]*?)^```/m.exec(readFileSync(join(root, page), 'utf8'))?.[1]
  if (code === undefined) throw new Error(`${page} has no code.`)
  return code
}
