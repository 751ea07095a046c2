/** The expectations of a contract. They need no test runner. */
import { canonicalJson, type JsonValue } from '../../actors/values/json.ts'
import { TroupeError } from '../../errors.ts'

/** Throws for an expectation that does not hold. */
export function expectThat(holds: boolean, expectation: string, found?: unknown): asserts holds {
  if (holds) return
  const shown = found === undefined ? '' : `, and not ${JSON.stringify(found)}`
  throw new TroupeError('CONTRACT_BROKEN', `Expected ${expectation}${shown}.`)
}

/** Throws where two values are not the same as JSON. */
export function expectEqual(found: unknown, expected: unknown, what: string): void {
  expectThat(textOf(found) === textOf(expected), `${what} to be ${JSON.stringify(expected)}`, found ?? null)
}

function textOf(value: unknown): string {
  return canonicalJson((JSON.parse(JSON.stringify(value ?? null)) ?? null) as JsonValue)
}
