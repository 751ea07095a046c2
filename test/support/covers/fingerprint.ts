/**
 * A hash of all that a test file can execute: the code of the modules that it imports, directly or not, the versions of the
 * packages, and the major version of Node. Comments, types and code that nothing reaches do not count.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { isAbsolute, join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

export interface Fingerprint {
  /** SHA-256, in hex. */
  readonly hash: string
  /** How many modules of the repository the file executes, itself among them. */
  readonly modules: number
}

/** `data`: files that it reads. All paths are relative to the root of the repository. Throws where an import is not known. */
export async function fingerprintOf(file: string, data: readonly string[] = []): Promise<Fingerprint> {
  const { build } = await import('rolldown')
  const { output } = await build({
    cwd: root,
    input: file,
    write: false,
    platform: 'node',
    tsconfig: false,
    external: (id) => !/^[./]/.test(id) && !/^troupe(\/|$)/.test(id),
    resolve: { conditionNames: ['troupe-source', 'import', 'node'] },
    // Whatever package.json says that an application may leave out: a test runs the top level of each module.
    treeshake: { moduleSideEffects: () => true },
    output: { comments: false, minify: { compress: false, mangle: false } },
    onLog(_level, { code, message }) {
      if (code === 'INEFFECTIVE_DYNAMIC_IMPORT') return
      throw new Error(`${file} cannot be read as one program: ${message}`)
    },
  })
  const chunks = output
    .filter((one) => one.type === 'chunk')
    .toSorted((a, b) => a.fileName.localeCompare(b.fileName))
  const computed = chunks.find(({ code }) => /\bimport\((?!["'`])/.test(code))
  if (computed !== undefined) throw new Error(`${file} loads a module whose name it computes.`)
  const own = chunks.map(({ fileName }) => fileName)
  const packages = chunks
    .flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])
    .filter((specifier) => !own.includes(specifier))
    .map(packageOf)
  const hash = createHash('sha256').update(`node ${process.versions.node.split('.')[0]}\n`)
  for (const version of versionsOf(packages)) hash.update(`${version}\n`)
  for (const path of data) hash.update(`${path}\n`).update(readFileSync(join(root, path)))
  for (const { fileName, code } of chunks) hash.update(`${fileName}\n`).update(code)
  return {
    hash: hash.digest('hex'),
    modules: chunks.flatMap(({ modules }) => Object.keys(modules)).filter(isAbsolute).length,
  }
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version: string; readonly dependencies?: Readonly<Record<string, string>> }>
  >
}

/** Of the packages and of those that they depend on, as the lockfile has them. */
function versionsOf(packages: readonly string[]): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const isPackage = (name: string) => !name.startsWith('node:') && !builtinModules.includes(name)
  const places = new Set(packages.filter(isPackage).map((name) => placeOf(name, '', lock)))
  for (const place of places) {
    const { dependencies = {} } = lock.packages[place] ?? {}
    for (const name of Object.keys(dependencies)) places.add(placeOf(name, place, lock))
  }
  return [...places].toSorted().map((place) => `${place} ${lock.packages[place]?.version}`)
}

/** Where a package is installed that a package at `from` depends on. */
function placeOf(name: string, from: string, lock: Lock): string {
  for (let above = from; ; above = above.slice(0, Math.max(0, above.lastIndexOf('/node_modules/')))) {
    const place = `${above}${above === '' ? '' : '/'}node_modules/${name}`
    if (place in lock.packages) return place
    if (above === '') throw new Error(`package-lock.json does not have ${name}.`)
  }
}
