/** The score of a sample: the share of mutants that are noticed, with its interval. */
import type { Judged } from './judge.ts'

export interface Score {
  readonly mutants: number
  readonly killed: number
  readonly share: number
  /** The lower bound of the 90 % interval (Wilson). */
  readonly lower: number
}

export function scoreOf(judged: readonly Judged[], isKilled: (one: Judged) => boolean): Score {
  const mutants = judged.length
  const killed = judged.filter(isKilled).length
  return { mutants, killed, share: mutants === 0 ? 0 : killed / mutants, lower: lowerBound(killed, mutants) }
}

/** 1.645 is the quantile of the normal distribution for a two-sided interval of 90 %. */
function lowerBound(killed: number, mutants: number, z = 1.645): number {
  if (mutants === 0) return 0
  const share = killed / mutants
  const centre = share + z ** 2 / (2 * mutants)
  const spread = z * Math.sqrt((share * (1 - share)) / mutants + z ** 2 / (4 * mutants ** 2))
  return Math.max(0, (centre - spread) / (1 + z ** 2 / mutants))
}

const percent = (share: number) => `${(100 * share).toFixed(0)} %`

/** A table by area, and the mutants that survive. */
export function reportOf(judged: readonly Judged[]): string {
  const areas = [...new Set(judged.map(({ area }) => area))]
  const row = (name: string, list: readonly Judged[]): string => {
    const generated = scoreOf(list, ({ killedBy }) => killedBy === 'goldens' || killedBy === 'generated')
    const all = scoreOf(list, ({ killedBy }) => killedBy !== undefined)
    return `| ${name} | ${all.mutants} | ${generated.killed} (${percent(generated.share)}, at least ${percent(generated.lower)}) | ${all.killed} (${percent(all.share)}, at least ${percent(all.lower)}) |`
  }
  const survivors = judged.filter(({ killedBy }) => killedBy === undefined)
  return [
    '| area | mutants | noticed by goldens and generated suites | noticed by all tests that were asked |',
    '| --- | --: | --- | --- |',
    ...areas.map((area) =>
      row(
        area,
        judged.filter((one) => one.area === area),
      ),
    ),
    row(
      'all machines',
      judged.filter(({ kind }) => kind === 'machine'),
    ),
    row('all', judged),
    '',
    ...survivors.map(
      ({ id, line, original, replacement }) => `- ${id} (line ${line}): \`${original}\` → \`${replacement}\``,
    ),
  ].join('\n')
}
