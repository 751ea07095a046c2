/** That the asking itself can fail. */
import { expectType } from './expect-type.ts'

declare const text: string
declare const anything: unknown
declare const mutable: { a: number }

expectType<string>()(text)
// @ts-expect-error another type
expectType<number>()(text)
// @ts-expect-error a wider type
expectType<string | number>()(text)
// @ts-expect-error `any` is not `unknown`
expectType<unknown>()(JSON.parse(text))
expectType<unknown>()(anything)
// @ts-expect-error what may be written is not what may only be read
expectType<{ readonly a: number }>()(mutable)
