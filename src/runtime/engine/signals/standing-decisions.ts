/** Decisions of people that hold for the rest of the run, by agent and tool. They follow from the journal alone. */
import type { EffectInput, EffectOutcome } from '../../../actors/effect-kinds.ts'

type Question = Pick<EffectInput<'signal'>, 'agent' | 'toolName'>

export class StandingDecisions {
  readonly #byTool = new Map<string, EffectOutcome<'signal'>>()

  /** A later decision replaces an earlier one. Changed arguments are those of one call. */
  note(question: Question, { args: _args, ...decision }: EffectOutcome<'signal'>): void {
    this.#byTool.set(keyOf(question), decision)
  }

  of(question: Question): EffectOutcome<'signal'> | undefined {
    return this.#byTool.get(keyOf(question))
  }
}

function keyOf({ agent, toolName }: Question): string {
  return JSON.stringify([agent, toolName])
}
