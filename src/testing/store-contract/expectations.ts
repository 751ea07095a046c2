/** The expectations of the cases, beside those that contracts share. */
import { expectEqual, expectThat } from '../contract/check.ts'

/** Throws where a promise does not reject with an error of this code. */
export async function expectRejects(code: string, promise: Promise<unknown>, what: string): Promise<void> {
  const error = await promise.then(
    () => expectThat(false, `${what} to reject with ${code}`),
    (thrown: unknown) => thrown,
  )
  const found: unknown = (error as { readonly code?: unknown } | null)?.code
  expectThat(found === code, `${what} to reject with ${code}`, found ?? String(error))
}

/** Throws where two byte arrays differ. */
export function expectBytes(found: Uint8Array | undefined, expected: Uint8Array, what: string): void {
  const isSame = found?.length === expected.length && found.every((byte, index) => byte === expected[index])
  expectThat(isSame, `${what} to be as they were put`)
}

/** Throws where a value lacks one of these fields, or has another value in it. It may have others. */
export function expectFields<T extends object>(
  found: T | undefined,
  expected: Partial<T>,
  what: string,
): void {
  const entries = Object.entries(expected) as [keyof T & string, unknown][]
  for (const [field, value] of entries) {
    expectEqual(found?.[field], value, `${field} of ${what}`)
  }
}

/** Throws where a value has this field. */
export function expectAbsent<T extends object>(
  found: T | undefined,
  field: keyof T & string,
  what: string,
): void {
  expectThat(found?.[field] === undefined, `${what} to have no ${field}`, found?.[field])
}
