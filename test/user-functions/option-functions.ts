/**
 * Finds each function that users can pass to the library: the members of the option types that the parameters of exported
 * functions have, and of the types that are exported for them. TypeScript 7 has no compiler API, hence that of 5.9.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript-5.9'

const root = join(import.meta.dirname, '../..')

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly 'troupe-source': string }>>
}

/** By `<where the type is declared> <type>.<member>`; a type that several subpaths export is listed once. */
export function optionFunctions(): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const entries = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [] : [join(root, target['troupe-source'])],
  )
  const program = ts.createProgram(entries, {
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    types: ['node'],
    jsx: ts.JsxEmit.ReactJSX,
  })
  const checker = program.getTypeChecker()
  const found = new Set<string>()
  const seen = new Set<ts.Type>()

  for (const file of entries) {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    if (module === undefined) throw new Error(`${file} is no module.`)
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      if (!(symbol.flags & ts.SymbolFlags.Value)) continue
      const type = checker.getTypeOfSymbol(symbol)
      const signatures = [...type.getCallSignatures(), ...type.getConstructSignatures()]
      for (const parameter of signatures.flatMap((signature) => signature.getParameters())) {
        given(checker.getTypeOfSymbol(parameter), `${symbol.name}(${parameter.name})`)
      }
    }
  }
  return [...found].toSorted()

  /** A value that a user passes: its functions are theirs. */
  function given(type: ts.Type, path: string): void {
    if (seen.has(type)) return
    if (type.isUnionOrIntersection()) {
      for (const part of type.types) given(part, path)
      return
    }
    const constraint = type.flags & ts.TypeFlags.TypeParameter ? checker.getBaseConstraintOfType(type) : undefined
    if (constraint !== undefined) return given(constraint, path)
    if (type.getCallSignatures().length > 0) {
      found.add(path)
      return
    }
    if (!(type.flags & ts.TypeFlags.Object)) return
    seen.add(type)
    if (checker.isArrayType(type) || checker.isTupleType(type)) {
      for (const item of checker.getTypeArguments(type as ts.TypeReference)) given(item, path)
      return
    }
    const symbol = type.aliasSymbol ?? type.symbol
    const declared = symbol?.declarations?.[0]?.getSourceFile().fileName ?? ''
    if (!declared.startsWith(join(root, 'src'))) return
    const name = symbol.name.startsWith('__') ? path : symbol.name
    for (const member of type.getProperties()) {
      if (member.flags & ts.SymbolFlags.Method) continue // a method of an object of ours, or of a store
      given(checker.getTypeOfSymbol(member), `${name}.${member.name}`)
    }
    const index = type.getStringIndexType()
    if (index !== undefined) given(index, `${name}[]`)
  }
}
