/** Asks the tests of an area, step by step, whether they notice a mutant. */
import type { Mutant } from './mutant.ts'
import type { Sandbox, Verdict } from './sandbox.ts'
import type { Area } from './suites.ts'

/** The steps in the order in which they are asked. */
export const steps = ['goldens', 'generated', 'written', 'processes', 'whole'] as const

export type Step = (typeof steps)[number]

export interface Judged {
  readonly id: string
  readonly operator: string
  readonly area: string
  readonly kind: Area['kind']
  readonly line: number
  readonly original: string
  readonly replacement: string
  /** The first step that noticed the mutant; none where it survived. */
  readonly killedBy?: Step
  /** Whether it was noticed because the tests did not end in time. */
  readonly isLate?: boolean
  /** The steps that were asked. */
  readonly asked: readonly Step[]
}

export interface Asked {
  readonly sandbox: Sandbox
  readonly area: Area
  readonly steps: readonly Step[]
  readonly limits: Limits
}

/** The milliseconds that the tests of a round may take, from the time that they take without a mutant. */
export class Limits {
  readonly #known = new Map<string, number>()

  /** Asks `round` without a mutant where it was not asked before. Throws where it fails. */
  async of(round: Round): Promise<number> {
    const known = this.#known.get(round.name)
    if (known !== undefined) return known
    const begun = performance.now()
    const verdict = await round.ask(3_600_000)
    if (verdict !== 'passed') throw new Error(`${round.name} fails without a mutant.`)
    const limit = 5 * (performance.now() - begun) + 60_000
    this.#known.set(round.name, limit)
    return limit
  }
}

interface Round {
  readonly name: string
  ask(limit: number): Promise<Verdict>
}

/** `before`: steps that let the mutant pass already. */
export async function judge(question: Asked, mutant: Mutant, before: readonly Step[]): Promise<Judged> {
  const { id, operator, line, original, replacement } = mutant
  const { name, kind } = question.area
  const steps = question.steps.filter((step) => !before.includes(step))
  const { killedBy, isLate } = await firstToNotice({ ...question, steps }, mutant)
  return {
    id,
    operator,
    area: name,
    kind,
    line,
    original,
    replacement,
    ...(killedBy === undefined ? {} : { killedBy, isLate }),
    asked: [...before, ...(killedBy === undefined ? steps : steps.slice(0, steps.indexOf(killedBy) + 1))],
  }
}

async function firstToNotice(
  { sandbox, area, steps, limits }: Asked,
  mutant: Mutant,
): Promise<Pick<Judged, 'killedBy' | 'isLate'>> {
  for (const step of steps) {
    for (const round of roundsOf(sandbox, area, step)) {
      const limit = await limits.of(round)
      const verdict = await sandbox.with(mutant, () => round.ask(limit))
      if (verdict !== 'passed') return { killedBy: step, isLate: verdict === 'limit' }
    }
  }
  return {}
}

function roundsOf(sandbox: Sandbox, area: Area, step: Step): Round[] {
  switch (step) {
    case 'goldens':
      return area.goldens.map((machine) => ({
        name: `golden graph of ${machine}`,
        ask: (limit) => sandbox.program('scripts/goldens.ts', ['--check', machine], limit),
      }))
    case 'generated':
    case 'written':
    case 'processes':
      return area[step].map((files) => testsIn(sandbox, files))
    case 'whole':
      return [testsIn(sandbox, [])]
  }
}

function testsIn(sandbox: Sandbox, files: readonly string[]): Round {
  return {
    name: files.length > 0 ? files.join(' ') : 'all tests',
    ask: (limit) => sandbox.tests(files, limit),
  }
}
