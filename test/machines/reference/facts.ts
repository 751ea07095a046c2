/** What happened on one path of a machine: its input, and the outcomes and events that it received. */
import type { Stimulus } from 'troupe/testing'

export class Facts<Input = unknown> {
  readonly input: Input
  readonly stimuli: readonly Stimulus[]

  constructor(input: Input, stimuli: readonly Stimulus[]) {
    this.input = input
    this.stimuli = stimuli
  }

  /** A child of the source, or the hook of this name, had one of these outcomes. */
  had(child: string, ...outcomes: readonly string[]): boolean {
    return this.count(child, ...outcomes) > 0
  }

  count(child: string, ...outcomes: readonly string[]): number {
    return this.stimuli.filter((stimulus) => isOf(stimulus, child, outcomes)).length
  }

  /** The last outcome of the source or hook was one of these. */
  lastHad(child: string, ...outcomes: readonly string[]): boolean {
    const last = this.stimuli.findLast((stimulus) => isOf(stimulus, child, []))
    return last !== undefined && isOf(last, child, outcomes)
  }

  /** One of these events came from outside. */
  heard(...events: readonly string[]): boolean {
    return this.stimuli.some((stimulus) => stimulus.type === 'event' && events.includes(stimulus.name))
  }

  /** The path ended with one of these outcomes. */
  endedBy(child: string, ...outcomes: readonly string[]): boolean {
    const last = this.stimuli.at(-1)
    return last !== undefined && isOf(last, child, outcomes)
  }

  /** The path ended with one of these events. */
  endedByEvent(...events: readonly string[]): boolean {
    const last = this.stimuli.at(-1)
    return last?.type === 'event' && events.includes(last.name)
  }
}

/** `outcomes`: any, where there are none. */
function isOf(stimulus: Stimulus, child: string, outcomes: readonly string[]): boolean {
  return (
    stimulus.type === 'outcome' &&
    (stimulus.src === child || stimulus.child === `hook:${child}`) &&
    (outcomes.length === 0 || outcomes.includes(stimulus.outcome.name))
  )
}

/** For each ending, whether the facts allow it. */
export type Reference<Input = unknown> = Readonly<Record<string, (facts: Facts<Input>) => boolean>>
