/**
 * Compares contestants by the CPU that they use: all threads of the process, the garbage collector's included.
 * Repetitions alternate (A B C A B C …), so that what else goes on in the machine hits all alike; what counts
 * is the median.
 */
export interface Contestant {
  readonly name: string
  /** One repetition. */
  run(): Promise<void>
}

export interface Measurement {
  readonly name: string
  /** Milliseconds of CPU of each repetition. */
  readonly cpu: readonly number[]
}

export async function compare(
  contestants: readonly Contestant[],
  { warmUps, repetitions }: { readonly warmUps: number; readonly repetitions: number },
): Promise<Measurement[]> {
  const measurements = contestants.map(({ name }) => ({ name, cpu: [] as number[] }))
  for (let round = -warmUps; round < repetitions; round++) {
    for (const [index, contestant] of contestants.entries()) {
      const used = await cpuOf(contestant)
      if (round >= 0) measurements[index]?.cpu.push(used)
    }
  }
  return measurements
}

async function cpuOf(contestant: Contestant): Promise<number> {
  globalThis.gc?.()
  const before = process.cpuUsage()
  await contestant.run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const position = (sorted.length - 1) * q
  const lower = sorted[Math.floor(position)] ?? Number.NaN
  const upper = sorted[Math.ceil(position)] ?? Number.NaN
  return lower + (upper - lower) * (position - Math.floor(position))
}

export const median = (values: readonly number[]): number => quantile(values, 0.5)
