/**
 * The types of packages that the library needs nothing else of: their declarations are in the package, so that nobody must install
 * the version that we compile against. Each stands below `dist/vendor`, without comments, and names its source.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

interface Vendored {
  readonly name: string
  /** The folder below `node_modules`, and the file of its declarations. */
  readonly folder: string
  readonly file: string
}

const vendored: readonly Vendored[] = [
  { name: '@ai-sdk/provider', folder: '@ai-sdk/provider', file: 'dist/index.d.ts' },
  { name: 'json-schema', folder: '@types/json-schema', file: 'index.d.ts' },
]

/** Writes them, and lets the declarations of `dist` name them. */
export function vendorTypes(root: string, dist: string): void {
  const folder = join(dist, 'vendor')
  mkdirSync(folder, { recursive: true })
  for (const one of vendored) writeFileSync(join(folder, fileOf(one)), declarationsOf(root, one))
  const declarations = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  for (const name of declarations.filter((file) => file.endsWith('.d.ts'))) {
    const file = join(dist, name)
    const text = readFileSync(file, 'utf8')
    const named = vendored.reduce((given, one) => {
      const path = relative(dirname(file), join(folder, fileOf(one)))
        .split(sep)
        .join('/')
      const specifier = (path.startsWith('.') ? path : `./${path}`).replace(/\.d\.ts$/, '.js')
      return given.replaceAll(new RegExp(`(from|import\\() ?["']${one.name}["']`, 'g'), `$1 '${specifier}'`)
    }, text)
    if (named !== text) writeFileSync(file, named)
  }
}

function fileOf({ name }: Vendored): string {
  return `${name.replace('@', '').replace('/', '-')}.d.ts`
}

function declarationsOf(root: string, { name, folder, file }: Vendored): string {
  const path = join(root, 'node_modules', folder)
  const { version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
    readonly version: string
    readonly license: string
  }
  const holder = /^ *Copyright.*$/m.exec(readFileSync(join(path, 'LICENSE'), 'utf8'))?.[0].trim()
  const text = readFileSync(join(path, file), 'utf8').replaceAll(
    /^\s*\/\*[\s\S]*?\*\/\n|^\s*\/\/.*(?:\n|$)/gm,
    '',
  )
  return `// Types of ${name} ${version}, without comments. ${holder ?? name}. Licence: ${license}.\n${text}`
}
