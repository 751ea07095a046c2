/** The options of an agent that may hand its conversation to others. */
import type { InferInput, Schema } from '../../actors/schemas/schema.ts'
import type { JsonValue } from '../../actors/values/json.ts'
import type { HandoffFilter } from '../options/options.ts'
import type { AgentDefinition, RunContext } from './definition.ts'

/** An agent, or a function that names one that is defined later: it is called once, when the agent is first used. */
export type AgentReference = AgentDefinition | (() => AgentDefinition)

/** An agent to hand the conversation to, with an input that the model must give. */
export interface HandoffTarget<Input extends Schema = Schema> {
  readonly agent: AgentReference
  /**
   * The arguments of the tool `transfer-to-<key>`, in place of a reason and a prompt. A call that does not fit is sent
   * back to the model. It must answer at once. Where a function of the run makes it, its JSON Schema is checked.
   * Default: none.
   */
  readonly inputSchema?: Input
}

/** Agents, each under its id, or under names of their own. */
export type HandoffAgents =
  readonly (AgentReference | HandoffTarget)[] | Readonly<Record<string, AgentReference | HandoffTarget>>

/** The options of an agent that may hand its conversation to others. `Context`: the context of the run. */
export interface HandoffOptions<Context = never, Handed extends HandoffAgents = HandoffAgents> {
  /**
   * Agents that may go on with the conversation in place of this one; the model sees each as the tool
   * `transfer-to-<key>`. A function is one of the run, as for `agents`: called once a run, with its context. A function in
   * the place of one agent, `[() => other]`, names an agent that is defined later, so that two can name each other.
   */
  readonly handoffs?: Handed | ((run: RunContext<Context>) => Handed | Promise<Handed>)
  /** How many handoffs may follow one another, from the first agent on. Default: 5. */
  readonly maxHandoffs?: number
  /**
   * A run in a thread goes on with the agent that held its conversation last, if handoffs lead from this agent to that
   * one: the model of this agent is not called. Needs `memory`. Default: `false`.
   */
  readonly keepHandoff?: boolean
}

export type TargetOf<Handed> = Handed extends readonly (infer Target)[]
  ? Target
  : Handed extends Readonly<Record<string, infer Target>>
    ? Target
    : never

export type InputOf<Target> = Target extends { readonly inputSchema: infer Input extends Schema }
  ? InferInput<Input>
  : never

/** The inputs of these handoffs, as the model gives them; JSON where they are not known. */
export type InputsOf<Handed> = [InputOf<TargetOf<Handed>>] extends [never]
  ? JsonValue
  : unknown extends InputOf<TargetOf<Handed>>
    ? JsonValue
    : InputOf<TargetOf<Handed>>

/** Options with a filter for the handoffs to these agents, which sees their inputs. */
export type FilteringHandoffs<Options, Handed> = Omit<Options, 'handoffFilter'> & {
  /**
   * Chooses the successor's part of the conversation in a handoff. Default: all of it, at most
   * `delegation.maxMessages`.
   */
  readonly handoffFilter?: HandoffFilter<InputsOf<Handed>>
}
