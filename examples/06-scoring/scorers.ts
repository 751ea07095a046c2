/** Three scorers. A score is a number from 0 to 1, with a reason if you like; it passes at the threshold. */
import { createScorer } from 'troupe'

/** The default threshold is 1: all or nothing. */
export const namesTheDay = createScorer({
  id: 'names-the-day',
  score: ({ output }) =>
    /\b(mon|tues|wednes|thurs|fri|satur|sun)day\b/i.test(output)
      ? 1
      : { score: 0, reason: 'It does not say on which day the library opens' },
})

export const isShort = createScorer({
  id: 'is-short',
  threshold: 0.8,
  score: ({ output }) => {
    const words = output.split(/\s+/).length
    return { score: Math.min(1, 15 / words), reason: `It has ${words} words, and 15 would do` }
  },
})

/** Asks a spelling service that is out of order the second time: what a scorer throws is an error, not a 0. */
export function createSpelling() {
  let calls = 0
  return createScorer({
    id: 'spelling',
    score: ({ output }) => {
      calls += 1
      if (calls === 2) throw new Error('the spelling service does not answer')
      return output.includes('recieve') ? { score: 0, reason: '"recieve" is misspelt' } : 1
    },
  })
}
