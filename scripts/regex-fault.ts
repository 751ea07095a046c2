/** Whether the time of a regular expression grows faster than the text that it searches, also from each place in it. */
import type { checkSync } from 'recheck'
import type { FoundRegex } from './find-regexes.ts'

/** The checker in JavaScript: its faster forms are programs of the machine, and not faster here. */
process.env['RECHECK_BACKEND'] = 'pure'
const recheck = (await import('recheck')) as { readonly checkSync: typeof checkSync }

/** Milliseconds for one expression: a check that takes longer counts as a fault. */
const timeout = 60_000

const known = new Map<string, string | undefined>()

/** What is wrong with an expression; `undefined`: it is linear. */
export function faultOf({ regex }: FoundRegex): string | undefined {
  if (regex === undefined) return 'it is made while the program runs, so that nothing can check it'
  const { pattern, flags } = regex
  if (isBounded(pattern)) return undefined
  const key = `/${pattern}/${flags}`
  if (!known.has(key)) known.set(key, check(pattern, flags))
  return known.get(key)
}

/** Nothing in it repeats without an end, and at most one part a number of times: each place in a text costs the same. */
function isBounded(pattern: string): boolean {
  const counts = pattern.match(/\{\d+,\d+\}/g) ?? []
  return !/[*+]|,\}|\)[{?]/.test(pattern) && counts.length <= 1
}

function check(pattern: string, flags: string): string | undefined {
  const found = recheck.checkSync(pattern, flags, { timeout })
  switch (found.status) {
    case 'safe':
      return undefined
    case 'vulnerable':
      return `${found.complexity.summary}, for example of ${found.attack.pattern}`
    case 'unknown':
      return 'it cannot be checked: write it simpler, or in several steps'
  }
}
