/**
 * Fails for an exported name without a doc comment, over all subpaths: an editor shows the comment where the name is used.
 * Names that are passed on from a dependency have that of the dependency. TypeScript 7 has no compiler API, hence that of
 * 5.9. It fails too for a type that an exported one is made of and that is not exported.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript-5.9'
import { unnameableTypes } from './unnameable.ts'

const root = join(import.meta.dirname, '..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly 'troupe-source': string }>>
}
/** For hosts within this package alone: no stranger's editor shows its names. */
const unstable = ['./kit/host']

const entries = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
  typeof target === 'string' || unstable.includes(subpath)
    ? []
    : [[subpath, join(root, target['troupe-source'])] as const],
)
const program = ts.createProgram(
  entries.map(([, file]) => file),
  {
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ['node'],
  },
)
const checker = program.getTypeChecker()

/** Nobody fills them in, or meets them but in declarations. */
const isPart = (symbol: ts.Symbol): boolean =>
  (symbol.flags & ts.SymbolFlags.TypeAlias) !== 0 && parts.has(symbol)
const parts = new Set(
  program
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(join(root, 'src')) && fileName.endsWith('/named-parts.ts'))
    .flatMap(exportsOf),
)

function exportsOf(source: ts.SourceFile): readonly ts.Symbol[] {
  const module = checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${source.fileName} is no module.`)
  return checker
    .getExportsOfModule(module)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
}

/** What users of these subpaths export is made of the types of `troupe`, which names them. */
const named = ['.', './machines', './restate']
const ofMain = entries.flatMap(([subpath, file]) => {
  const source = program.getSourceFile(file)
  return subpath === '.' && source !== undefined ? exportsOf(source) : []
})
const unnameable = entries.flatMap(([subpath, file]) => {
  const source = program.getSourceFile(file)
  if (!named.includes(subpath) || source === undefined) return []
  const exported = new Set([...exportsOf(source), ...ofMain])
  return unnameableTypes(exported, checker, (name) => name.startsWith(join(root, 'src'))).map(
    (name) => `${subpath} ${name}`,
  )
})
if (unnameable.length > 0)
  throw new Error(['Types that declarations cannot name:', ...unnameable].join('\n  '))

let count = 0
const bare = entries.flatMap(([subpath, file]) => {
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${subpath}: ${file} is no module.`)
  return checker.getExportsOfModule(module).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    const declared = symbol.declarations?.[0]?.getSourceFile().fileName ?? ''
    if (!declared.startsWith(join(root, 'src'))) return []
    if (isPart(symbol)) return []
    count++
    return symbol.getDocumentationComment(checker).length === 0
      ? [`${subpath} ${exported.name}: ${declared}`]
      : []
  })
})
if (count === 0) throw new Error('No exported name was found.')
if (bare.length > 0) throw new Error(['Exported names without a doc comment:', ...bare].join('\n  '))
console.log(`Each of ${count} exported names has a doc comment.`)
