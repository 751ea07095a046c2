/** Messages and tables say "1 step", not "1 steps". */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { plural } from '../../src/errors/texts.ts'

test.each([
  [0, 'step', '0 steps'],
  [1, 'step', '1 step'],
  [2, 'step', '2 steps'],
  [1, 'entry', '1 entry'],
  [2, 'entry', '2 entries'],
])('%d of %s', (count, word, text) => {
  expect(plural(count, word)).toBe(text)
})

/** A count of which a template says "things" whatever it is: a length, or a number known to be counted here. */
const counted = /\$\{[\w.#?]*(?:\.length|#failures|\bat|\bleft)\} (?:steps|calls|entries|times|events)\b/

/** What is said only of two or more. */
const ofSeveral: readonly string[] = [
  'machines/plan-then-execute/proposal.ts', // beyond a cap
  'machines/loop/changes/call-cap.ts', // beyond a cap
  'mastra/answer.ts', // several wait
  'inspector/embed/story-file.ts', // a story has an entry for its head
]

test('no message counts by a plural alone', () => {
  const root = join(import.meta.dirname, '../../src')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  )
  const found = files.filter((file) => counted.test(readFileSync(join(root, file), 'utf8')))
  expect(found.filter((file) => !ofSeveral.includes(file.replaceAll('\\', '/')))).toEqual([])
})
