/** What the check of the public types finds, and what it leaves alone. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { findAny } from '../../scripts/find-any.ts'

/** What is wrong, the declarations, and where it is found. */
const wrong: readonly (readonly [string, string, readonly string[]])[] = [
  ['a parameter', 'export declare function f(a: any): void', ['f(a)']],
  ['a result', 'export declare function f(): Promise<any>', ['f()<0>']],
  ['a variable', 'export declare const v: readonly any[]', ['v<0>']],
  ['a property', 'export interface I { a: { b?: any } }', ['I.a.b']],
  ['a method of a class', 'export declare class C { m(a: any): void }', ['C.prototype.m(a)']],
  ['a method of a generic class', 'export declare class C<T> { m(a: T): any }', ['C.prototype.m()']],
  ['a constructor', 'export declare class C { constructor(a: any) }', ['C(a)']],
  ['an index', 'export interface I { [key: string]: any }', ['I[]']],
  ['an alias', 'export type T = Record<string, any>', ['T[]']],
  ['a constraint', 'export declare function f<T extends any[]>(a: T): void', ['f<T> extends<0>']],
  ['a default', 'export interface I<T = any> { a: T }', ['I<0> =']],
  ['a branch', 'export type T<A> = A extends string ? any : A', ['T?']],
  [
    'what is not exported, but reached',
    'interface I { a: any }; export declare const v: I; export {}',
    ['v.a'],
  ],
  ['what does not resolve', 'export declare const v: import("nowhere").T', ['v']],
  ['what is exported from nowhere', 'export { a } from "nowhere"', ['a']],
  [
    'an argument of a dependency',
    'import type { Ref } from "../dependency/index.d.ts"; export declare const v: Ref<any>',
    ['v<0>'],
  ],
  [
    "a dependency's alias",
    'import type { AnyRef } from "../dependency/index.d.ts"; export declare const v: AnyRef',
    ['v (AnyRef)'],
  ],
]

const right: readonly (readonly [string, string])[] = [
  ['unknown', 'export declare function f(a: unknown): Promise<unknown>'],
  ['what is private', 'export declare class C { private a: any; #b; m(): void }'],
  ['the parameter of a class', 'export declare class C<T extends { a: string }> { m(a: T): T }'],
  ['what is not reached', 'interface I { a: any }; export declare const v: string; export {}'],
  ['defaults of the library', 'export declare const v: AsyncIterable<string>'],
  [
    'the inside of a dependency',
    'import type { Ref, ValueOf } from "../dependency/index.d.ts"; export declare function f<R>(r: Ref<string>): ValueOf<R>',
  ],
]

let found: ReadonlyMap<string, readonly string[]>

/** All are files of one package: a program takes half a second to make. */
beforeAll(() => {
  const project = mkdtempSync(join(tmpdir(), 'troupe-any-'))
  const own = join(project, 'own')
  mkdirSync(own)
  mkdirSync(join(project, 'dependency'))
  writeFileSync(
    join(project, 'dependency/index.d.ts'),
    `export interface Ref<T> { value: T; loose: any }
     export type AnyRef = Ref<any>
     export type ValueOf<R> = R extends Ref<infer V> ? V : any`,
  )
  const entries = [...wrong, ...right].map(([what, declarations], index) => {
    const file = join(own, `${index}.d.ts`)
    writeFileSync(file, declarations)
    return [what, file] as const
  })
  const options = { strict: true, types: [], lib: ['lib.es2024.d.ts'] }
  const all = findAny(Object.fromEntries(entries), own, options)
  found = new Map(
    entries.map(([what]) => [
      what,
      all
        .filter(({ path }) => path.startsWith(`${what}: `))
        .map(({ path, alias }) => path.slice(what.length + 2) + (alias === undefined ? '' : ` (${alias})`)),
    ]),
  )
  rmSync(project, { recursive: true })
})

test.each(wrong)('finds %s', (what, _declarations, expected) => {
  expect(found.get(what)).toEqual(expected)
})

test.each(right)('leaves %s alone', (what) => {
  expect(found.get(what)).toEqual([])
})
