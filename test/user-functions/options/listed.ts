/**
 * The functions that the public API takes, as the compiler finds them: each field of a type of ours that is a function, of all types that
 * can be reached from the parameters of exported functions. TypeScript 7 has no compiler API, hence that of 5.9.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript-5.9'

const root = join(import.meta.dirname, '../../..')

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  lib: ['lib.es2024.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'],
  module: ts.ModuleKind.NodeNext,
  jsx: ts.JsxEmit.ReactJSX,
  customConditions: ['troupe-source'],
  allowImportingTsExtensions: true,
  strict: true,
  noEmit: true,
  types: ['node'],
}

/** The kit passes on much that is no option: these are what it takes of users. */
const ofKit = ['src/actors/effects/custom-effect.ts', 'src/runtime/create/create-chart-agent.ts']

function entryFiles(): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly 'troupe-source'?: string }>>
  }
  const entries = Object.entries(exports).flatMap(([subpath, entry]) => {
    const source =
      typeof entry === 'string' || subpath.startsWith('./kit') ? undefined : entry['troupe-source']
    return source === undefined ? [] : [join(root, source)]
  })
  return [...entries, ...ofKit.map((file) => join(root, file))]
}

/** Names such as `ToolConfig.requireApproval`: the interface that declares the field, and the field. */
export function listedFunctions(): ReadonlySet<string> {
  const files = entryFiles()
  const program = ts.createProgram(files, options)
  const checker = program.getTypeChecker()
  const found = new Set<string>()
  const seen = new Set<ts.Type>()
  for (const file of files) {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    for (const given of module === undefined ? [] : checker.getExportsOfModule(module)) {
      const symbol = given.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(given) : given
      if (symbol.flags & ts.SymbolFlags.Value) visitParameters(checker.getTypeOfSymbol(symbol))
    }
  }
  return found

  function visitParameters(type: ts.Type): void {
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()])
      for (const parameter of signature.getParameters()) visit(checker.getTypeOfSymbol(parameter))
  }

  function visit(type: ts.Type): void {
    if (seen.has(type)) return
    seen.add(type)
    if (type.isUnionOrIntersection()) return type.types.forEach(visit)
    if (type.flags & ts.TypeFlags.TypeParameter) {
      const constraint = type.getConstraint()
      if (constraint !== undefined) visit(constraint)
    } else if (type.flags & ts.TypeFlags.Object) visitFields(type)
  }

  function visitFields(type: ts.Type): void {
    for (const argument of checker.getTypeArguments(type as ts.TypeReference)) visit(argument)
    for (const { type: item } of checker.getIndexInfosOfType(type)) visit(item)
    for (const field of checker.getPropertiesOfType(type)) {
      const [declaration] = field.declarations ?? []
      if (declaration === undefined || !declaration.getSourceFile().fileName.startsWith(`${root}/src/`))
        continue
      const valued = checker.getTypeOfSymbol(field)
      const parts = valued.isUnion() ? valued.types : [valued]
      if (parts.some((part) => part.getCallSignatures().length > 0) && !field.name.startsWith('__'))
        found.add(`${ownerOf(declaration)}.${field.name}`)
      visit(valued)
    }
  }
}

/** The interface or the alias that declares a field; of a field within a field, that field. */
function ownerOf(declaration: ts.Node): string {
  for (let node = declaration.parent; !ts.isSourceFile(node); node = node.parent) {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return node.name.text
    if (ts.isClassDeclaration(node) && node.name !== undefined) return node.name.text
  }
  return declaration.getSourceFile().fileName.slice(root.length + 1)
}
