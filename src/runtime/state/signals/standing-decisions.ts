/** Decisions of people that hold for the rest of the run, by agent and tool. They follow from the journal alone. */
import { SparseMap } from '../../../actors/values/sparse.ts'
import type { EffectInput, EffectOutcome } from '../../../actors/effects/effect-kinds.ts'
import type { MachineEvent } from '../../../machines/contract/events.ts'

type Question = Pick<EffectInput<'signal'>, 'id' | 'agent' | 'toolName'>

export class StandingDecisions {
  /** Answers that the chart has not taken yet, by the id of their question. */
  readonly #given = new SparseMap<
    string,
    { readonly tool: string; readonly decision: EffectOutcome<'signal'> }
  >()
  readonly #byTool = new SparseMap<string, EffectOutcome<'signal'>>()

  /** A person has answered. The chart may refuse changed arguments, which are those of one call. */
  given(question: Question, { args: _args, ...decision }: EffectOutcome<'signal'>): void {
    this.#given.set(question.id, { tool: keyOf(question), decision })
  }

  /** Notes an event: the decision stands when the chart has taken the answer. A later one replaces an earlier one. */
  noted(event: MachineEvent): void {
    if (event.type !== 'tool-call-answered') return
    const { payload } = event
    const given = this.#given.get(payload.toolCallId)
    this.#given.delete(payload.toolCallId)
    if (given !== undefined && payload.always === true) this.#byTool.set(given.tool, given.decision)
  }

  of(question: Omit<Question, 'id'>): EffectOutcome<'signal'> | undefined {
    return this.#byTool.size === 0 ? undefined : this.#byTool.get(keyOf(question))
  }
}

function keyOf({ agent, toolName }: Omit<Question, 'id'>): string {
  return JSON.stringify([agent, toolName])
}
