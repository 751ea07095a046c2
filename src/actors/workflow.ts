/**
 * A workflow: any XState logic of the user's, offered to a model like a tool. It runs as one effect, in an actor
 * system of its own, at least once: it may hold promises, callbacks and clocks, which a replay does not touch.
 */
import {
  createActor,
  type AnyActorLogic,
  type AnyActorRef,
  type InputFrom,
  type OutputFrom,
  type Snapshot,
} from 'xstate'
import { TerminalError } from '../errors.ts'
import { parentOf } from './xstate-internals.ts'
import { anyHint } from './strict/hints.ts'
import { aName, anything, having, milliseconds, aSchema } from './strict/checks.ts'
import { readNamed } from './strict/ids.ts'
import type { InferOutput, Schema } from './schemas/schema.ts'
import { optional, required, type Fields } from './strict/read-options.ts'
import type { OnInterrupted, Tool, ToolBackground, ToolExecution } from './tool.ts'
import { createTool, toolFields } from './create-tool.ts'

/** The definition of a workflow. */
export interface WorkflowConfig<Input extends Schema, Logic extends AnyActorLogic> {
  readonly id: string
  /** Tells the model what the workflow does and when to use it. */
  readonly description: string
  /** The arguments; their parsed value is the input of the logic. */
  readonly inputSchema: Input
  /** A machine, a promise, any XState logic. Its output is treated as the result of a tool. */
  readonly logic: Logic & (InferOutput<Input> extends InputFrom<Logic> ? unknown : 'it takes another input')
  /** Milliseconds after which the workflow is stopped and its call fails (`TOOL_TIMEOUT`). Default: none. */
  readonly timeout?: number
  /** Default: `'retry'`. */
  readonly onInterrupted?: OnInterrupted
  /** As of a tool. Default: `false`. */
  readonly repeatable?: boolean
  /** As of a tool. Default: 3. */
  readonly maxInterruptions?: number
  /** As of a tool. Default: `false`. */
  readonly strict?: boolean
  /** As of a tool. Default: `false`. */
  readonly background?: boolean | ToolBackground
  /** As of a tool. Default: `['default']`. */
  readonly groups?: readonly string[]
  /** As of a tool. Default: `['*']`. */
  readonly applicableStates?: readonly string[]
  /** As of a tool. Default: none. */
  readonly nextState?: string
}

/** `Output` is the output of the logic. */
export interface Workflow<Output = unknown> extends Tool<Output> {
  readonly logic: AnyActorLogic
}

const fields: Fields<WorkflowConfig<Schema, AnyActorLogic>> = {
  id: required(anything),
  description: required(aName),
  inputSchema: required(aSchema),
  logic: required(having('XState logic, for example a machine', 'transition')),
  timeout: optional(milliseconds),
  onInterrupted: toolFields.onInterrupted,
  repeatable: toolFields.repeatable,
  maxInterruptions: toolFields.maxInterruptions,
  strict: toolFields.strict,
  background: toolFields.background,
  groups: toolFields.groups,
  applicableStates: toolFields.applicableStates,
  nextState: toolFields.nextState,
}

/**
 * Defines a workflow. Its root actor has the idempotency key of the call as its id.
 * Throws a `ConfigurationError` for a bad id, a missing description, a schema that is not of an object, or an invalid
 * logic.
 */
export function createWorkflow<Input extends Schema, Logic extends AnyActorLogic>(
  config: WorkflowConfig<Input, Logic>,
): Workflow<OutputFrom<Logic>> {
  const { read } = readNamed<WorkflowConfig<Schema, AnyActorLogic>>(config, 'createWorkflow', fields, anyHint)
  const { logic, ...described } = read
  const { output: _type, ...tool } = createTool({
    ...described,
    execute: (input: unknown, execution) => runToEnd(logic, input, execution),
  })
  return { ...tool, logic }
}

/** By the root actor of a workflow, its execution. */
const executions = new WeakMap<AnyActorRef, ToolExecution>()

/** The execution of the workflow that the actor is a part of; `undefined`: it is a part of none. */
export function executionOf(actor: AnyActorRef): ToolExecution | undefined {
  let root = actor
  for (let above = parentOf(root); above !== undefined; above = parentOf(root)) root = above
  return executions.get(root)
}

/** The logic, whose actor is known as the root of the execution before it makes its children. */
function within(execution: ToolExecution, logic: AnyActorLogic): AnyActorLogic {
  const getInitialSnapshot: AnyActorLogic['getInitialSnapshot'] = (scope, input) => {
    executions.set(scope.self, execution)
    return logic.getInitialSnapshot(scope, input) as Snapshot<unknown>
  }
  return Object.create(logic, { getInitialSnapshot: { value: getInitialSnapshot } }) as AnyActorLogic
}

/** Runs the logic in a system of its own; an abort stops it. */
function runToEnd(logic: AnyActorLogic, input: unknown, execution: ToolExecution): Promise<unknown> {
  const { signal, idempotencyKey, inspect } = execution
  return new Promise((resolve, reject) => {
    const actor = createActor(within(execution, logic), {
      id: idempotencyKey,
      input,
      ...(inspect === undefined ? {} : { inspect }),
    })
    const end = (settle: () => void): void => {
      signal.removeEventListener('abort', onAbort)
      settle()
    }
    const onAbort = (): void => {
      end(() => reject(toError(signal.reason)))
      actor.stop()
    }
    signal.addEventListener('abort', onAbort, { once: true })
    actor.subscribe({
      complete: () => end(() => resolve((actor.getSnapshot() as Snapshot<unknown>).output)),
      error: (error) => end(() => reject(toError(error))),
    })
    actor.start()
    if (signal.aborted) onAbort()
  })
}

function toError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown
  return new TerminalError('The workflow failed.', { code: 'WORKFLOW_FAILED', cause: thrown })
}
