/** The facts of tools and subagents that a chart reads: plain data, which a journal keeps. */
import { z } from 'zod'
import type { ApprovalPolicy, StricterPolicy } from '../message.ts'
import type { JsonValue } from '../values/json.ts'
import type { Successor } from '../handoff-tools.ts'
import type { Schema } from '../schemas/schema.ts'
import { defaultInterruptions, type OnInterrupted, type Tool } from '../tool.ts'
import { defaultGroup, type Applicability } from '../tool-groups.ts'

/** How calls are run in the background. */
export interface InBackground {
  /** How many at a time. */
  readonly concurrency: number
}

/** What a chart reads of a subagent. */
export interface Subagent {
  /** The agent's id. */
  readonly id: string
  readonly description: string
  /** Set for a subagent that has tools in the background: a supervisor delegates to it in the background too. */
  readonly background?: InBackground | undefined
}

/** The facts of a tool that a chart uses: plain data. */
export interface ToolFacts extends Applicability {
  readonly description: string
  readonly parameters: Readonly<Record<string, JsonValue>>
  /** Set for a tool whose server is to hold the model to the schema. */
  readonly strict?: true | undefined
  readonly requireApproval: ApprovalPolicy
  readonly approvalTimeout?: number | undefined
  readonly timeout?: number | undefined
  readonly onInterrupted: OnInterrupted
  /** Set for a tool whose calls may be made again without a question. No part of its structure. */
  readonly repeatable?: true | undefined
  /** Absent: `defaultInterruptions`. */
  readonly maxInterruptions?: number | undefined
  /** Set for a tool that runs in the background. */
  readonly background?: InBackground | undefined
  /** Set for a tool of `createWorkflow`. */
  readonly isWorkflow?: true | undefined
  /** Set for a tool of a client. */
  readonly isClient?: true | undefined
  /** Set for a tool that is offered once a search has found it. */
  readonly deferred?: true | undefined
  /** Set for the tool that searches for those. */
  readonly finds?: true | undefined
  /** The state of the agent after a success; absent: unchanged. */
  readonly nextState?: string | undefined
}

/** A toolset as plain data, from which it can be made again. */
export interface ToolsetDescription {
  readonly tools: readonly (ToolFacts & { readonly name: string })[]
  readonly agents: Readonly<Record<string, Subagent>>
  /** Agents that the conversation may be handed to. */
  readonly handoffs?: Readonly<Record<string, Successor>> | undefined
}

/** The facts of a tool that decide which effects its calls ask for: all but its words. Defaults are left out. */
export type ToolStructure = Partial<Omit<ToolFacts, 'description' | 'parameters' | 'strict' | 'repeatable'>>

/** A tool, or the known facts of one that is made for each run. */
export type Offered = ToolFacts & {
  readonly inputSchema?: Schema | undefined
  /** The policy of today, where it is stricter than the recorded policy. */
  readonly stricter?: StricterPolicy | undefined
  /** The definition has the tool no more: no model is offered it, and calls that have begun go on. */
  readonly isGone?: true | undefined
}

export const structuralDefaults = { requireApproval: false, onInterrupted: 'retry' } as const

/** The structure of a tool. */
export function toolStructure({
  description: _description,
  parameters: _parameters,
  strict: _strict,
  inputSchema: _schema,
  stricter: _stricter,
  isGone: _isGone,
  repeatable: _repeatable,
  ...decisive
}: Offered): ToolStructure {
  const { requireApproval, onInterrupted, ...rest } = decisive
  return {
    ...(requireApproval === structuralDefaults.requireApproval ? {} : { requireApproval }),
    ...(onInterrupted === structuralDefaults.onInterrupted ? {} : { onInterrupted }),
    ...rest,
  }
}

/** The definition says nothing of it any more: any arguments pass, and the call fails where it is performed. */
export const goneTool = { description: '', parameters: {}, inputSchema: z.unknown(), isGone: true } as const

export function offeredOf({ requireApproval, ...tool }: Tool): Offered {
  const { description, parameters, strict, approvalTimeout, onInterrupted, inputSchema } = tool
  const { timeout, maxInterruptions, background, groups, applicableStates, nextState } = tool
  return {
    description,
    parameters,
    ...(strict ? { strict } : {}),
    requireApproval: typeof requireApproval === 'function' ? 'asks' : requireApproval,
    ...(approvalTimeout === undefined ? {} : { approvalTimeout }),
    ...(timeout === undefined ? {} : { timeout }),
    onInterrupted,
    ...(tool.repeatable === undefined ? {} : { repeatable: tool.repeatable }),
    ...(maxInterruptions === defaultInterruptions ? {} : { maxInterruptions }),
    ...(background === undefined ? {} : { background }),
    ...('logic' in tool ? { isWorkflow: true as const } : {}),
    ...(tool.isClient === undefined ? {} : { isClient: tool.isClient }),
    ...(tool.deferred === undefined ? {} : { deferred: tool.deferred }),
    ...(tool.finds === undefined ? {} : { finds: true as const }),
    // Defaults are left out: a journaled toolset then stays as it always was.
    ...(groups.length === 1 && groups[0] === defaultGroup ? {} : { groups }),
    ...(applicableStates.includes('*') ? {} : { applicableStates }),
    ...(nextState === undefined ? {} : { nextState }),
    inputSchema,
  }
}
