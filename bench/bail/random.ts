/** Random numbers from a seed, and texts of a length. */
export interface Random {
  /** From 0 to 1. */
  next(): number
  /** A number around a median; `spread` is the standard deviation of its logarithm. */
  around(median: number, spread: number): number
}

/** The generator of Park and Miller. */
export function randomFrom(seed: number): Random {
  let state = (seed % 2_147_483_646) + 1
  const next = (): number => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  for (let warm = 0; warm < 10; warm++) next()
  return {
    next,
    around(median, spread) {
      const normal = Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next())
      return median * Math.exp(spread * normal)
    },
  }
}

const sentence =
  'The tide follows the moon, and the harbour writes down when it comes and how high it stands. '

/** A text of a number of tokens. */
export function prose(tokens: number): string {
  const length = Math.max(1, Math.round(tokens)) * 4
  return sentence.repeat(Math.ceil(length / sentence.length)).slice(0, length)
}
