/**
 * The tools and subagents that one agent offers to its model, by the names that the model sees, with one digest. A
 * chart uses their plain facts only; where the tools are made for each run, it has nothing else.
 */
import { TerminalError } from '../../errors.ts'
import type { ToolDescription } from '../chat-model.ts'
import {
  describedSuccessors,
  handoffSchema,
  handoffTool,
  withSchemas,
  type Successor,
  type Successors,
} from '../handoff-tools.ts'
import {
  stricterThan,
  type CallVerdict,
  type JudgedCall,
  type StricterPolicy,
  type ToolCall,
} from '../message.ts'
import { validateWritten, type Validation } from '../schemas/validate.ts'
import { delegationPrefix, handoffPrefix } from '../strict/ids.ts'
import type { Tool } from '../tool.ts'
import { isOffered, type ToolScope } from '../tool-groups.ts'
import { delegation, delegationParameters } from './delegation-args.ts'
import {
  goneTool,
  offeredOf,
  structuralDefaults,
  type Offered,
  type Subagent,
  type ToolFacts,
  type ToolsetDescription,
  type ToolStructure,
} from './tool-facts.ts'
import { digestText } from '../values/digest.ts'
import { deepFreeze } from '../values/frozen.ts'
import type { JsonValue } from '../values/json.ts'

/** The tools of a scope. */
interface Scoped {
  readonly offered: readonly (readonly [string, Offered])[]
  readonly deferred: ReadonlyMap<string, Offered>
  readonly findable: readonly ToolDescription[]
}

/** Parts of one toolset that are kept: one that was dropped is made again. */
const mostParts = 256

/** Whether a call may run. `asynchronous`: only an effect can check it, for example as the schema returns a promise. */
export type CallCheck =
  | { readonly status: 'valid'; readonly value: unknown }
  | { readonly status: 'asynchronous' }
  | { readonly status: 'invalid'; readonly problem: string }

/** What a chart reads of the tools and subagents of an agent. */
export class Toolset {
  readonly tools: ReadonlyMap<string, ToolFacts>
  readonly subagents: ReadonlyMap<string, Subagent>
  /** Agents that the conversation may be handed to, by their keys. */
  readonly successors: Successors
  readonly descriptions: readonly ToolDescription[]
  /** Of the descriptions, as they are sent. */
  readonly characters: number
  /** The names of the descriptions. */
  readonly names: readonly string[]
  readonly digest: string
  /** Built from a description: the tools themselves are made for each run, and only effects reach them. */
  readonly isDescribed: boolean
  /** The toolset with the tools that are not on offer now; itself where there are none. */
  readonly whole: Toolset
  readonly #offered: ReadonlyMap<string, Offered>
  #withFiles: Toolset | undefined
  readonly #parts = new Map<string, Toolset>()
  /** By scope, what is offered and what can be found in it. */
  readonly #scopes = new Map<string, Scoped>()

  private constructor(
    offered: ReadonlyMap<string, Offered>,
    subagents: ReadonlyMap<string, Subagent>,
    successors: Successors,
    isDescribed: boolean,
    whole?: Toolset,
    parameters = delegationParameters.text,
  ) {
    this.whole = whole ?? this
    this.#offered = offered
    this.tools = offered
    this.subagents = subagents
    this.successors = successors
    this.isDescribed = isDescribed
    this.descriptions = deepFreeze([
      ...Array.from(offered).flatMap(([name, { description, parameters, strict, isGone }]) =>
        isGone === true
          ? []
          : [{ name, description, parameters, ...(strict === undefined ? {} : { strict }) }],
      ),
      ...Array.from(this.subagents, ([key, { description }]) => ({
        name: delegationPrefix + key,
        description: `Delegate a task to the agent "${key}": ${description}`,
        parameters: parameters(),
      })),
      ...Array.from(this.successors, handoffTool),
    ])
    this.names = deepFreeze(this.descriptions.map(({ name }) => name))
    const described = JSON.stringify(this.descriptions)
    this.characters = described.length
    this.digest = digestText(described)
  }

  static of(
    tools: Readonly<Record<string, Tool>>,
    subagents: Readonly<Record<string, Subagent>> = {},
  ): Toolset {
    const offered = Object.entries(tools).map(([name, tool]) => [name, offeredOf(tool)] as const)
    return new Toolset(new Map(offered), new Map(Object.entries(subagents)), new Map(), false)
  }

  /** `known`: the successors of the definition, with their schemas. */
  static described({ tools, agents, handoffs = {} }: ToolsetDescription, known?: Successors): Toolset {
    const offered = tools.map(({ name, ...facts }) => [name, facts] as const)
    return new Toolset(new Map(offered), new Map(Object.entries(agents)), withSchemas(handoffs, known), true)
  }

  /** With one tool more. */
  with(name: string, tool: Tool): Toolset {
    return this.withTools({ [name]: tool })
  }

  /** With these tools beside, or in the place of, its own. */
  withTools(tools: Readonly<Record<string, Tool>>): Toolset {
    const more = Object.entries(tools).map(([name, tool]) => [name, offeredOf(tool)] as const)
    const offered = new Map([...this.#offered, ...more])
    return new Toolset(offered, this.subagents, this.successors, this.isDescribed)
  }

  /** With agents that the conversation may be handed to. */
  handingTo(successors: Readonly<Record<string, Successor>>): Toolset {
    return new Toolset(this.#offered, this.subagents, new Map(Object.entries(successors)), this.isDescribed)
  }

  /** With these in the place of its subagents. */
  withSubagents(subagents: Readonly<Record<string, Subagent>>): Toolset {
    return new Toolset(this.#offered, new Map(Object.entries(subagents)), this.successors, this.isDescribed)
  }

  /**
   * With the structure that a run has on record: its tools have their recorded facts and the words of today. A tool that
   * the definition has no more is offered to no model.
   */
  asRecorded(tools: Readonly<Record<string, ToolStructure>>): Toolset {
    const offered = Object.entries(tools).map(([name, structure]): readonly [string, Offered] => {
      const today = this.#offered.get(name)
      const decisive = { ...structuralDefaults, ...structure }
      if (today === undefined) return [name, { ...goneTool, ...decisive }]
      const { description, parameters, strict, inputSchema } = today
      const stricter = stricterThan(decisive.requireApproval, today.requireApproval)
      return [
        name,
        {
          description,
          parameters,
          ...(strict === undefined ? {} : { strict }),
          ...decisive,
          inputSchema,
          ...(stricter === undefined ? {} : { stricter }),
        },
      ]
    })
    return new Toolset(new Map(offered), this.subagents, this.successors, this.isDescribed)
  }

  /** Without the tools, agents and successors that another toolset does not have. */
  only(other: Toolset): Toolset {
    const shared = <Part>(mine: ReadonlyMap<string, Part>, theirs: ReadonlyMap<string, unknown>) =>
      new Map([...mine].filter(([name]) => theirs.has(name)))
    return new Toolset(
      shared(this.#offered, other.tools),
      shared(this.subagents, other.subagents),
      shared(this.successors, other.successors),
      this.isDescribed,
    )
  }

  /**
   * The part of the whole that is on offer: all agents, those to hand to included, and the tools that match. Made once
   * for each choice of tools.
   */
  within(scope: ToolScope): Toolset {
    const { whole } = this
    const { offered, deferred } = whole.#scoped(scope)
    const found = (scope.foundTools ?? []).flatMap((name) => {
      const tool = deferred.get(name)
      return tool === undefined ? [] : [[name, tool] as const]
    })
    if (found.length === 0 && offered.length === whole.#offered.size) return whole
    const names = JSON.stringify([...offered, ...found].map(([name]) => name))
    const known = whole.#parts.get(names)
    if (known !== undefined) return known
    const tools = new Map([...offered, ...found])
    const part = new Toolset(tools, whole.subagents, whole.successors, whole.isDescribed, whole)
    if (whole.#parts.size >= mostParts) whole.#parts.delete(whole.#parts.keys().next().value ?? '')
    whole.#parts.set(names, part)
    return part
  }

  /** The deferred tools that a search may find in a scope: the same list for the same scope. */
  findable(scope: ToolScope): readonly ToolDescription[] {
    return this.whole.#scoped(scope).findable
  }

  /** Looked at once for each choice of groups and state: a step costs the same however many tools are deferred. */
  #scoped({ toolGroups, toolState }: ToolScope): Scoped {
    const key = JSON.stringify([toolGroups ?? null, toolState])
    const known = this.#scopes.get(key)
    if (known !== undefined) return known
    const matching = [...this.#offered].filter(([, tool]) => isOffered(tool, { toolGroups, toolState }))
    const deferred = matching.filter(([, tool]) => tool.deferred === true)
    const scoped: Scoped = {
      offered: matching.filter(([, tool]) => tool.deferred !== true),
      deferred: new Map(deferred),
      findable: deferred
        .filter(([, tool]) => tool.isGone !== true)
        .map(([name, { description, parameters }]) => ({ name, description, parameters })),
    }
    if (this.#scopes.size >= mostParts) this.#scopes.delete(this.#scopes.keys().next().value ?? '')
    this.#scopes.set(key, scoped)
    return scoped
  }

  /** As it is offered in a conversation with files: a delegation may name those that it hands on. */
  get withFiles(): Toolset {
    if (this.subagents.size === 0) return this
    this.#withFiles ??= new Toolset(
      this.#offered,
      this.subagents,
      this.successors,
      this.isDescribed,
      this.whole,
      delegationParameters.files,
    )
    return this.#withFiles
  }

  get description(): ToolsetDescription {
    return {
      tools: Array.from(
        this.#offered,
        ([name, { inputSchema: _schema, stricter: _stricter, isGone: _isGone, ...facts }]) => ({
          name,
          ...facts,
        }),
      ),
      agents: Object.fromEntries(this.subagents),
      ...(this.successors.size === 0 ? {} : { handoffs: describedSuccessors(this.successors) }),
    }
  }

  /** The subagent that a tool name delegates to. */
  subagent(toolName: string): Subagent | undefined {
    return toolName.startsWith(delegationPrefix)
      ? this.subagents.get(toolName.slice(delegationPrefix.length))
      : undefined
  }

  /** The agent that a tool name would hand the conversation to. */
  successor(toolName: string): Successor | undefined {
    return toolName.startsWith(handoffPrefix)
      ? this.successors.get(toolName.slice(handoffPrefix.length))
      : undefined
  }

  /** The verdict on a call that a model makes now. */
  verdictOn(call: ToolCall): CallVerdict {
    const check = this.check(call)
    if (check.status === 'invalid') return { problem: check.problem }
    const requireApproval = this.#offered.get(call.name)?.stricter
    return {
      ...(requireApproval === undefined ? {} : { requireApproval }),
      ...(check.status === 'asynchronous' ? { isUnchecked: true as const } : {}),
    }
  }

  /** The policy of a tool as the definition of today has it, where it is stricter than in the recorded toolset. */
  stricterThan(recorded: Toolset, name: string): StricterPolicy | undefined {
    const [before, now] = [recorded.tools.get(name), this.tools.get(name)]
    return before && now && stricterThan(before.requireApproval, now.requireApproval)
  }

  /**
   * Checks a call of the model; a problem is worded for the model, with the allowed values. A verdict that the call has
   * stands, unless its tool is not on offer in the state that the tools have by now. The arguments of a delegation are the
   * library's own, and are always read; a call of an agent that was not there is refused also where the agent is there by now.
   */
  check(call: JudgedCall): CallCheck {
    const { problem, isUnchecked } = call.verdict ?? {}
    const tool = this.#askedFor(call.name)
    const isThere = tool !== undefined && this.subagent(call.name) === undefined
    if (call.verdict !== undefined && (problem !== undefined || isThere)) {
      if (isUnchecked === true) return { status: 'asynchronous' }
      return problem === undefined ? { status: 'valid', value: call.args } : { status: 'invalid', problem }
    }
    if (tool === undefined) return { status: 'invalid', problem: this.#unknown(call.name) }
    if (call.malformed !== undefined) {
      return {
        status: 'invalid',
        problem: `The arguments of "${call.name}" were not a JSON object. ${this.#expected(call.name)}`,
      }
    }
    if (tool.inputSchema === undefined) return { status: 'asynchronous' }
    const validation = validateWritten(tool.inputSchema, call.args)
    // A schema that throws fails like any other function of the user's: in an effect, and unseen by the model.
    if (validation instanceof Promise || isFailure(validation)) return { status: 'asynchronous' }
    return toCheck(call.name, validation)
  }

  /** As `check`, for schemas that answer later. Rejects with a `TerminalError` (`SCHEMA_FAILED`) if one throws. */
  async checkLater(call: Pick<ToolCall, 'name' | 'args'>): Promise<CallCheck> {
    const tool = this.#askedFor(call.name)
    if (tool?.inputSchema === undefined) return { status: 'invalid', problem: this.#unknown(call.name) }
    const validation = await validateWritten(tool.inputSchema, call.args)
    if (isFailure(validation)) {
      throw new TerminalError(`The input schema of "${call.name}" failed: ${validation.problem}`, {
        code: 'SCHEMA_FAILED',
        cause: validation.failure.thrown,
      })
    }
    if (this.successor(call.name) !== undefined) {
      throw new TerminalError(
        `The input schema of "${call.name}" answers with a promise: that of a handoff must answer at once.`,
        { code: 'SCHEMA_FAILED' },
      )
    }
    return toCheck(call.name, validation)
  }

  /** The arguments of a valid handoff as they count: without the nulls that stand for fields left out. */
  inputOf(call: ToolCall): JsonValue {
    const schema = this.#askedFor(call.name)?.inputSchema
    const checked = schema === undefined ? undefined : validateWritten(schema, call.args)
    return checked === undefined || checked instanceof Promise ? call.args : checked.written
  }

  #askedFor(name: string): Pick<Offered, 'inputSchema'> | undefined {
    if (this.subagent(name) !== undefined) return delegation()
    const successor = this.successor(name)
    return successor === undefined ? this.#offered.get(name) : { inputSchema: handoffSchema(successor) }
  }

  #expected(name: string): string {
    const parameters = this.descriptions.find((tool) => tool.name === name)?.parameters
    return `Expected an object that fits ${JSON.stringify(parameters)}.`
  }

  #unknown(name: string): string {
    const kind = name.startsWith(delegationPrefix) ? 'agent' : 'tool'
    const list = this.names.length === 0 ? 'none' : this.names.join(', ')
    return `There is no ${kind} "${name}". Available: ${list}.`
  }

  toJSON(): readonly string[] {
    return this.names
  }
}

/** For the effects of an agent whose tools are made for each run: the toolset that these must match. */
export function expected(toolset: Toolset): { readonly toolset?: Toolset } {
  return toolset.isDescribed ? { toolset } : {}
}

/** For the model call of an agent that is not offered all of its tools: the scope by which they were chosen. */
export function scopeOf(agent: ToolScope & { readonly toolset: Toolset }): { readonly scope?: ToolScope } {
  const { toolset, toolGroups, toolState, foundTools } = agent
  if (toolset === toolset.whole) return {}
  return {
    scope: {
      toolState,
      ...(toolGroups === undefined ? {} : { toolGroups }),
      ...(foundTools === undefined ? {} : { foundTools }),
    },
  }
}

function isFailure(
  validation: Validation,
): validation is Required<Extract<Validation, { readonly ok: false }>> {
  return !validation.ok && validation.failure !== undefined
}

function toCheck(name: string, validation: Validation): CallCheck {
  return validation.ok
    ? { status: 'valid', value: validation.value }
    : { status: 'invalid', problem: `Invalid arguments for "${name}": ${validation.problem}` }
}
