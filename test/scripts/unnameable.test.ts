/** What a declaration cannot name is found where it is made, and not where a user meets it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript-5.9'
import { expect, test } from 'vitest'
import { unnameableTypes } from '../../scripts/unnameable.ts'

function found(text: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'unnameable-'))
  const file = join(folder, 'index.ts')
  writeFileSync(file, text)
  const program = ts.createProgram([file], { noEmit: true, types: [] })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error('There is no module.')
  const exported = new Set(checker.getExportsOfModule(module))
  const names = unnameableTypes(exported, checker, (name) => name.startsWith(folder))
  rmSync(folder, { recursive: true })
  return names
}

test('a type that an exported one is made of must have an exported name', () => {
  expect(found('interface Base { a: 1 }\nexport interface Result extends Base { b: 2 }')).toEqual([
    'Base (of Result)',
  ])
  expect(found('type Kept<T> = { kept: T }\nexport type Result = { one: Kept<1> }')).toEqual([
    'Kept (of Result)',
  ])
  expect(found('class Deep {}\ninterface Middle { deep: Deep }\nexport function f(): Middle {}')).toEqual([
    'Middle (of f)',
    'Deep (of f)',
  ])
})

test('what is exported, private or within a body needs none', () => {
  expect(found('export interface Base {}\nexport interface Result extends Base { all: Base[] }')).toEqual([])
  expect(
    found(
      'class Inner {}\nexport class Outer { #inner = new Inner(); go(): void { const one: Inner = this.#inner } }',
    ),
  ).toEqual([])
  expect(found('export function f(): Promise<string> { type Own = 1; return {} as never }')).toEqual([])
})
