/** A configured agent with the alphabets of its exploration, and what the exploration must find. */
import { expect, test } from 'vitest'
import type { AgentDefinition } from 'troupe'
import { answers, calls, explore, fails, gives, type ExploreOptions, type ModelSaying } from 'troupe/testing'

export interface Expected {
  /** All outcomes that the run may have. */
  readonly outcomes: readonly string[]
  /** The most states that the complete exploration may visit. */
  readonly states: number
}

/** One test: explored to the end, within the bound, with every rule kept and every given reply offered. */
export function scenario(
  name: string,
  agent: AgentDefinition,
  options: ExploreOptions,
  { outcomes, states }: Expected,
): void {
  test(`explores ${name}`, async () => {
    const report = await explore(agent, { ...options, limits: { steps: 1, ...options.limits } })
    report.assert()
    expect(Object.keys(report.outcomes).toSorted()).toEqual([...outcomes].toSorted())
    expect(report.unsaid).toEqual([])
    expect(report.isComplete).toBe(true)
    expect(report.states).toBeLessThanOrEqual(states)
  })
}

/** The supervisor answers, or calls all of these at once. */
export function team(...names: readonly string[]): readonly ModelSaying[] {
  return [answers('Done.'), calls(Object.fromEntries(names.map((name) => [name, 'Go.'])))]
}

export const ok = [answers('Ok.')]

export const okOrFails = [answers('Ok.'), fails()]

/** The review of a delegation bails, or does not. */
export const mayBail = {
  onDelegationComplete: [gives({ bail: true }, 'bails'), gives({ bail: false }, 'accepts')],
}

/** The option of an agent whose hook the exploration gives the outcomes of. */
export const reviewed = { onDelegationComplete: () => undefined }

/** Cancels of the run alone. */
export const runCancels = { cancelDelegations: false }
