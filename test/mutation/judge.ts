/** Asks the tests of an area, step by step, whether they notice a mutant. */
import type { Mutant } from './mutant.ts'
import type { Sandbox, Verdict } from './sandbox.ts'
import type { Area } from './suites.ts'

/** The steps in the order in which they are asked. */
export const steps = ['goldens', 'generated', 'written', 'whole'] as const

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
  /** Whether the golden graphs or the generated suites notice it. */
  readonly isSeenByGenerated: boolean
}

/** Milliseconds that each step takes without a mutant. */
export type Baseline = Readonly<Partial<Record<Step, number>>>

export interface Asked {
  readonly sandbox: Sandbox
  readonly area: Area
  readonly steps: readonly Step[]
}

/** Runs each step once without a mutant. Throws where one fails. */
export async function baselineOf(asked: Asked): Promise<Baseline> {
  const taken: Partial<Record<Step, number>> = {}
  for (const step of asked.steps) {
    const begun = performance.now()
    const verdict = await ask(asked, step, 3_600_000)
    if (verdict !== 'passed') throw new Error(`${asked.area.name}: ${step} fails without a mutant.`)
    taken[step] = performance.now() - begun
  }
  return taken
}

export async function judge(asked: Asked, mutant: Mutant, baseline: Baseline): Promise<Judged> {
  const { id, operator, line, original, replacement } = mutant
  const { name, kind } = asked.area
  const killedBy = await asked.sandbox.with(mutant, () => firstToNotice(asked, baseline))
  return {
    id,
    operator,
    area: name,
    kind,
    line,
    original,
    replacement,
    ...(killedBy === undefined ? {} : { killedBy }),
    isSeenByGenerated: killedBy === 'goldens' || killedBy === 'generated',
  }
}

async function firstToNotice(asked: Asked, baseline: Baseline): Promise<Step | undefined> {
  for (const step of asked.steps) {
    if ((await ask(asked, step, 5 * (baseline[step] ?? 0) + 30_000)) !== 'passed') return step
  }
  return undefined
}

function ask({ sandbox, area }: Asked, step: Step, limit: number): Promise<Verdict> {
  switch (step) {
    case 'goldens':
      return sandbox.program('scripts/goldens.ts', ['--check'], limit)
    case 'generated':
      return sandbox.tests(area.generated, limit)
    case 'written':
      return sandbox.tests(area.written, limit)
    case 'whole':
      return sandbox.tests([], limit)
  }
}
