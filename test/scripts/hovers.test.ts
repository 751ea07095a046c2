/**
 * The types that an editor shows for what the factories make: each name in them is exported, so that a reader can look it
 * up. TypeScript 7 has no language service, hence that of 5.9.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript-5.9'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const file = join(root, 'test/types/declarations.test-d.ts')
const text = readFileSync(file, 'utf8')

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  lib: ['lib.es2024.d.ts', 'lib.esnext.disposable.d.ts', 'lib.dom.d.ts'],
  module: ts.ModuleKind.NodeNext,
  customConditions: ['troupe-source'],
  allowImportingTsExtensions: true,
  strict: true,
  noEmit: true,
  types: ['node'],
}
const service = ts.createLanguageService({
  getScriptFileNames: () => [file],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name) => {
    const content = ts.sys.readFile(name)
    return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
  },
  getCurrentDirectory: () => root,
  getCompilationSettings: () => options,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (name) => ts.sys.fileExists(name),
  readFile: (name) => ts.sys.readFile(name),
  readDirectory: (...given) => ts.sys.readDirectory(...given),
  directoryExists: (name) => ts.sys.directoryExists(name),
  getDirectories: (name) => ts.sys.getDirectories(name),
})

const shown = new Map(
  [...text.matchAll(/export const (\w+)/g)].map(({ 0: found, 1: name = '', index }) => {
    const info = service.getQuickInfoAtPosition(file, index + found.length - 1)
    return [name, ts.displayPartsToString(info?.displayParts)] as const
  }),
)

/** Of TypeScript, and of XState for the output of a machine that has none. */
const others = ['Promise', 'Readonly', 'Record', 'NonReducibleUnknown']

test('every name in a shown type is exported', () => {
  const program = service.getProgram()
  const source = program?.getSourceFile(join(root, 'src/index.ts'))
  const module = source && program?.getTypeChecker().getSymbolAtLocation(source)
  const exported = new Set(
    module === undefined
      ? []
      : program
          ?.getTypeChecker()
          .getExportsOfModule(module)
          .map(({ name }) => name),
  )
  expect(exported.size).toBeGreaterThan(100)
  expect(shown.size).toBeGreaterThan(15)
  for (const [name, type] of shown) {
    const names = [...type.replaceAll(/"[^"]*"/g, '').matchAll(/\b[A-Z]\w+/g)].map(([found]) => found)
    const unknown = names.filter((found) => !exported.has(found) && !others.includes(found))
    expect(unknown, `${name}: ${type}`).toEqual([])
    expect(type).not.toMatch(/\bany\b/)
  }
})

test('the type of an agent shows its options, its answer, and the results of its tools', () => {
  expect(shown.get('agent')?.replaceAll(/\s+/g, ' ')).toBe(
    'const agent: AgentDefinition<AgentOptions, undefined, [options?: (AgentOptions & CallOptions) | undefined], ' +
      'string, { readonly weather: { degrees: number; }; }>',
  )
  expect(shown.get('weather')?.replaceAll(/\s+/g, ' ')).toBe('const weather: Tool<{ degrees: number; }>')
})
