/** Agents on scripted models, and short ways to see what they were told and what they did. */
import {
  createAgent,
  createSupervisor,
  type AgentConfig,
  type AgentDefinition,
  type AgentOptions,
  type Message,
  type Run,
  type RunEvent,
  type SupervisorConfig,
  type SupervisorOptions,
  textOf,
} from 'troupe'
import {
  scriptedModel,
  type RecordedCall,
  type ScriptedModel,
  type ScriptedReply,
  type ScriptedStep,
  type ScriptedToolCall,
} from 'troupe/testing'
import type { AnyActorRef, AnyMachineSnapshot } from 'xstate'

/** An agent with its model at hand. */
export interface Cast<Options extends object> {
  readonly agent: AgentDefinition<Options>
  readonly model: ScriptedModel
}

type Rest<Config> = Partial<Omit<Config, 'id' | 'model'>> & { readonly otherwise?: ScriptedStep }

/** An agent that answers with `steps`. Its instructions are "I am <id>.". */
export function worker(
  id: string,
  steps: readonly ScriptedStep[],
  { otherwise, ...config }: Rest<AgentConfig> = {},
): Cast<AgentOptions> {
  const model = scripted(id, steps, otherwise)
  const agent = createAgent({
    id,
    description: `Does ${id} work.`,
    instructions: `I am ${id}.`,
    ...config,
    model,
  })
  return { agent, model }
}

/** A supervisor that answers with `steps`. Its instructions are "I am <id>.". */
export function lead(
  id: string,
  steps: readonly ScriptedStep[],
  { otherwise, ...config }: Rest<SupervisorConfig> = {},
): Cast<SupervisorOptions> {
  const model = scripted(id, steps, otherwise)
  const agent = createSupervisor({
    id,
    description: `Leads ${id}.`,
    instructions: `I am ${id}.`,
    ...config,
    model,
  })
  return { agent, model }
}

function scripted(id: string, steps: readonly ScriptedStep[], otherwise?: ScriptedStep): ScriptedModel {
  return scriptedModel(steps, { modelId: id, ...(otherwise === undefined ? {} : { otherwise }) })
}

/** A reply that makes these calls. */
export function calls(...toolCalls: readonly ScriptedToolCall[]): ScriptedReply {
  return { toolCalls }
}

/** A call that delegates to the agent of this key. */
export function to(
  key: string,
  prompt: string,
  more: Record<string, string | number> = {},
): ScriptedToolCall {
  return { name: `agent-${key}`, args: { prompt, ...more } }
}

/** All events of a run, from the first to the last; settles at its end. */
export async function allEvents(run: Pick<Run, 'events'>): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of run.events) events.push(event)
  return events
}

/** Only the events of these types, with those types. */
export function only<Type extends RunEvent['type']>(
  events: readonly RunEvent[],
  ...types: readonly Type[]
): Extract<RunEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<RunEvent, { type: Type }> =>
    (types as readonly string[]).includes(event.type),
  )
}

/** Waits for an event; fails when the run ends without it. */
export async function until<Type extends RunEvent['type']>(
  run: Run,
  type: Type,
  fits: (event: Extract<RunEvent, { type: Type }>) => boolean = () => true,
): Promise<Extract<RunEvent, { type: Type }>> {
  for await (const event of run.events) {
    const [found] = only([event], type)
    if (found !== undefined && fits(found)) return found
  }
  throw new Error(`The run ended without the event "${type}" that was waited for.`)
}

/** The ids of the actors below the root agent of a run, whose id is `agent`. */
export function actorsBelow(run: Run, agent: string): string[] {
  return Object.keys(childrenOf(childrenOf(run.actor)[agent]))
}

function childrenOf(actor: AnyActorRef | undefined): Readonly<Record<string, AnyActorRef | undefined>> {
  return (actor?.getSnapshot() as AnyMachineSnapshot | undefined)?.children ?? {}
}

/** What a model was shown in its call of this number, from 1. */
export function shown(model: ScriptedModel, call: number): readonly Message[] {
  const recorded: RecordedCall | undefined = model.calls[call - 1]
  if (recorded === undefined) {
    throw new Error(`The model "${model.modelId}" was called ${model.calls.length} times, not ${call}.`)
  }
  return recorded.request.messages
}

/** What a model was told of its tool calls, by its call of this number, from 1. */
export function toldOfCalls(model: ScriptedModel, call: number): readonly string[] {
  return shown(model, call).flatMap((message) => (message.role === 'tool' ? [textOf(message.content)] : []))
}

/** Everything that a model was ever shown, tools included. */
export function everythingShown(model: ScriptedModel): string {
  return JSON.stringify(model.calls.map((recorded) => recorded.request))
}
