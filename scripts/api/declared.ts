/**
 * The declarations of exported names, as their users' compilers read them: without bodies, comments and private members.
 * TypeScript 7 has no compiler API, hence that of 5.9.
 */
import { join } from 'node:path'
import ts from 'typescript-5.9'
import { root, type Entry } from './entries.ts'

export interface Declared {
  readonly name: string
  /** Where it is declared, which tells apart two of one name: `src/actors/tool.ts Tool`. */
  readonly identity: string
  readonly isExperimental: boolean
  /** Whether a program can use it as a value. */
  readonly isValue: boolean
  readonly text: string
  /** Its docstring. */
  readonly doc: string
  /** Where it is declared, below the root; nothing for a name of a dependency. */
  readonly file: string | undefined
}

export interface Surface {
  readonly entry: Entry
  readonly isExperimental: boolean
  readonly names: readonly Declared[]
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  module: ts.ModuleKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  rewriteRelativeImportExtensions: true,
  jsx: ts.JsxEmit.ReactJSX,
  jsxImportSource: 'preact',
  declaration: true,
  noCheck: true,
  skipLibCheck: true,
  emitDeclarationOnly: true,
  stripInternal: true,
  removeComments: true,
  types: ['node'],
}

export function surfacesOf(entries: readonly Entry[]): readonly Surface[] {
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    options,
  )
  const checker = program.getTypeChecker()
  const written = new Map<ts.SourceFile, ReadonlyMap<string, string>>()
  const inferred = new Map<ts.SourceFile, ReadonlyMap<string, string>>()

  const declarationOf = (source: ts.SourceFile, name: string): string | undefined =>
    (written.get(source) ?? stored(written, source, writtenIn(source))).get(name) ??
    (inferred.get(source) ?? stored(inferred, source, statementsOf(emitted(source)))).get(name)

  /** By the checker, which is slow. */
  const emitted = (source: ts.SourceFile): string => {
    let declarations = ''
    program.emit(
      source,
      (name, text) => (declarations = name.endsWith('.ts') ? text : declarations),
      undefined,
      true,
    )
    return declarations
  }

  return entries.map((entry) => {
    const source = program.getSourceFile(entry.file)
    const module = source && checker.getSymbolAtLocation(source)
    if (source === undefined || module === undefined) throw new Error(`${entry.file} is no module.`)
    const names = checker.getExportsOfModule(module).map((exported) => {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      const declared = symbol.declarations?.[0]?.getSourceFile()
      const own = declared?.fileName.startsWith(join(root, 'src')) === true ? declared : undefined
      const file = own === undefined ? 'a dependency' : own.fileName.slice(root.length + 1)
      return {
        name: exported.name,
        identity: `${file} ${symbol.name}`,
        isExperimental: symbol.getJsDocTags(checker).some(({ name }) => name === 'experimental'),
        doc: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
        file: own === undefined ? undefined : file,
        isValue: (symbol.flags & ts.SymbolFlags.Value) !== 0,
        text:
          own === undefined
            ? `${exported.name}: of a dependency`
            : (declarationOf(own, symbol.name) ?? missing(file, symbol.name)),
      }
    })
    return {
      entry,
      isExperimental: /^\/\*\*[^]*?@experimental[^]*?\*\//.test(source.text),
      names: names.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    }
  })
}

function stored<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): Value {
  map.set(key, value)
  return value
}

/** By the text alone, which is fast, and without the names whose types are inferred. */
function writtenIn(source: ts.SourceFile): ReadonlyMap<string, string> {
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(source.text, {
    fileName: source.fileName,
    compilerOptions: { ...options, isolatedDeclarations: true },
    reportDiagnostics: true,
  })
  const faults = diagnostics.map(({ start = 0 }) => start)
  const inferred = source.statements
    .filter((statement) => faults.some((place) => place >= statement.pos && place < statement.end))
    .flatMap(namesOf)
  return new Map([...statementsOf(outputText)].filter(([name]) => !inferred.includes(name)))
}

function missing(file: string, name: string): never {
  throw new Error(`${file} declares no "${name}".`)
}

/** The statements of a module of declarations by the names that they declare: overloads together. */
function statementsOf(text: string): ReadonlyMap<string, string> {
  const source = ts.createSourceFile('module.d.ts', text, ts.ScriptTarget.ES2024, true)
  const found = new Map<string, string>()
  for (const statement of source.statements) {
    const shown = statement
      .getText()
      .replace(/^export /, '')
      .replace(/^declare /, '')
    for (const name of namesOf(statement)) {
      const before = found.get(name)
      found.set(name, before === undefined ? shown : `${before}\n${shown}`)
    }
  }
  return found
}

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText())
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isEnumDeclaration(statement)
  return isNamed && statement.name !== undefined ? [statement.name.text] : []
}
