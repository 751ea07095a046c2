import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deepFreeze } from '../../../src/actors/values/frozen.ts'
import { wellFormed } from '../../../src/actors/values/well-formed.ts'

/** Any code units, so that some are halves of characters. */
const text = fc
  .array(fc.constantFrom('a', 'é', '\u{1F600}', '\ud83d', '\ude00', '\0'), { maxLength: 6 })
  .map((parts) => parts.join(''))
const value = fc.object({ key: text, values: [text, fc.integer(), fc.constant(null)], maxDepth: 3 })

test('any JSON value comes out whole, once, frozen or not', () => {
  fc.assert(
    fc.property(value, fc.boolean(), (given, isFrozen) => {
      const written = JSON.stringify(given)
      const made = wellFormed(isFrozen ? deepFreeze(given) : given)
      const whole = written.replaceAll(/\\\\|\\u(d[89a-f]\w\w)/g, (match) =>
        match.length === 2 ? match : '\u{FFFD}',
      )
      expect(made).toEqual(JSON.parse(whole))
      expect(wellFormed(made)).toBe(made)
      expect(Object.isFrozen(made)).toBe(Object.isFrozen(given))
    }),
    { numRuns: 500 },
  )
})

test('a value that is whole is itself, so that texts that are kept for it stay', () => {
  const given = deepFreeze({ role: 'user', content: 'Grüße \u{1F600}', parts: [{ a: 1 }] })
  expect(wellFormed(given)).toBe(given)
  const cut = deepFreeze({ role: 'user', content: '\ud83d' })
  expect(wellFormed(cut)).toBe(wellFormed(cut))
})
