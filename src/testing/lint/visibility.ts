/** The table of who sees what: for each agent, the parts of its caller's conversation that its model reads, and back. */
import type { InternalPurpose } from '../../actors/message.ts'
import type { DynamicPart } from '../../machines/contract/profile.ts'
import { asDefinition, type AnyAgent } from '../../runtime/definition/definition.ts'
import type { CallOptions } from '../../runtime/options/options.ts'
import type { Pattern } from '../../runtime/options/pattern.ts'
import { treeOf, type Line, type Place } from './tree.ts'

/**
 * The view of one agent at one place. No agent ever sees the system prompt, the tool calls or the tool results of the
 * agent that calls it.
 */
export interface AgentView {
  /** As in a finding of `lint`. */
  readonly path: string
  readonly agent: string
  readonly begunBy: 'run' | 'delegation' | 'handoff'
  /** The text that it works on. */
  readonly prompt:
    | 'the task'
    | 'a prompt of the model'
    | 'a goal and its context'
    | 'a step and the results that it needs'
    | 'the task, then the proposals of the others'
  /**
   * The messages of the earlier conversation: at most this number, those that a function of the user's chooses, or
   * those that the run was given.
   */
  readonly history: number | 'filtered' | 'given'
  /** The messages of the library that are among them. */
  readonly internal: readonly InternalPurpose[]
  /** The meta-routers whose framing is part of its instructions, by their paths. */
  readonly framing: readonly string[]
  /** The tools that it is offered first, by their names: its groups and its tool state choose them. */
  readonly tools: readonly string[]
  /** The messages of its own threads that it reads, and whether it reads and writes the note on the resource. */
  readonly memory: { readonly lastMessages: number; readonly note: boolean } | undefined
  /** The part of its work that the model of its caller reads. */
  readonly answers: 'its text' | 'its text and its tool results'
  /** The parts that functions of the run make: the definition does not show them. */
  readonly dynamic: readonly DynamicPart[]
}

/**
 * Lists the view of every agent at every place, the root first; `run` are the options that the run is given. Throws a
 * `ConfigurationError` where such a run is refused.
 */
export function visibilityOf<Options extends object, Object, Args extends readonly unknown[]>(
  agent: AnyAgent<Options, Object, Args>,
  run?: Options & CallOptions,
): readonly AgentView[]
export function visibilityOf(agent: AnyAgent, run: object = {}): readonly AgentView[] {
  const { line, root } = treeOf(asDefinition(agent), run)
  const first = viewOf(root, root.path, {
    begunBy: 'run',
    prompt: 'the task',
    history: 'given',
    internal: [],
    framing: [],
    answers: 'its text',
  })
  return [
    first,
    ...beside(line, first),
    ...line.members.flatMap((member) => below(member, member.path, first)),
  ]
}

type Way = Pick<AgentView, 'begunBy' | 'prompt' | 'history' | 'internal' | 'framing' | 'answers'>

function viewOf({ definition, profile }: Place, path: string, way: Way): AgentView {
  const { memory, toolset, dynamic } = profile
  return {
    path,
    agent: definition.id,
    ...way,
    tools: [...toolset.tools.keys()],
    memory:
      memory === undefined
        ? undefined
        : { lastMessages: memory.lastMessages, note: memory.workingMemory !== undefined },
    dynamic,
  }
}

/** The successors of a line: each sees the conversation, the task included. */
function beside({ members: [head, ...successors] }: Line, first: AgentView): AgentView[] {
  return successors.map((place) => {
    const from = head.path.length
    const { profile } = head
    return viewOf(place, `${first.path}${place.path.slice(from)}`, {
      begunBy: 'handoff',
      prompt: first.prompt,
      history: profile.hooks.handoffFilter !== undefined ? 'filtered' : profile.delegation.maxMessages,
      internal: internalOf(profile),
      framing: first.framing,
      answers: first.answers,
    })
  })
}

function below(place: Place, path: string, view: Pick<AgentView, 'framing'>): AgentView[] {
  const { profile, definition, subagents } = place
  const framing = definition.pattern === 'meta-router' ? [...view.framing, path] : view.framing
  const { includeConversationHistory, maxMessages, includeSubAgentToolResultsInModelContext } =
    profile.delegation
  const history = includeConversationHistory ? maxMessages : 0
  return [...subagents].flatMap(([key, line]) => {
    const at = `${path}.agents.${key}`
    const [head] = line.members
    const first = viewOf(head, at, {
      begunBy: 'delegation',
      prompt: promptOf(definition.pattern),
      history: profile.hooks.messageFilter === undefined ? history : 'filtered',
      internal: history === 0 ? [] : internalOf(profile),
      framing,
      answers: includeSubAgentToolResultsInModelContext ? 'its text and its tool results' : 'its text',
    })
    const members = line.members.flatMap((member) =>
      below(member, `${at}${member.path.slice(head.path.length)}`, first),
    )
    return [first, ...beside(line, first), ...members]
  })
}

function internalOf({ delegation }: Place['profile']): readonly InternalPurpose[] {
  return delegation.filterInternalMessages ? ['scoring'] : ['feedback', 'notice', 'scoring']
}

function promptOf(pattern: Pattern): AgentView['prompt'] {
  switch (pattern) {
    case 'dispatch':
    case 'meta-router':
      return 'the task'
    case 'fan-out':
      return 'a goal and its context'
    case 'plan-then-execute':
      return 'a step and the results that it needs'
    case 'debate':
      return 'the task, then the proposals of the others'
    case 'react':
    case 'supervisor':
    case 'router':
    case 'reflexion':
    case 'remote':
    case 'custom':
    case 'program':
      return 'a prompt of the model'
  }
}

/** The views as a table in Markdown: for a file beside the code, so that a review sees who sees more. */
export function formatVisibility(views: readonly AgentView[]): string {
  const rows = views.map((view) => [
    `\`${view.path}\``,
    view.begunBy,
    view.prompt,
    historyText(view),
    view.framing.join(', ') || 'none',
    [...view.tools, ...view.dynamic.map((part) => `(${part} of the run)`)].join(', ') || 'none',
    memoryText(view),
    view.answers,
  ])
  const heads = [
    'agent',
    'begun by',
    'works on',
    'history',
    'framing of',
    'tools',
    'memory',
    'its caller reads',
  ]
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

function historyText({ history, internal }: AgentView): string {
  const own = internal.length === 0 ? '' : `, with messages of the library (${internal.join(', ')})`
  switch (history) {
    case 0:
      return 'none'
    case 'given':
      return 'as the run was given it'
    case 'filtered':
      return `chosen by a function${own}`
    default:
      return `at most ${history} messages${own}`
  }
}

function memoryText({ memory }: AgentView): string {
  if (memory === undefined) return 'none'
  return `${memory.lastMessages} messages of its threads${memory.note ? ', the note on the resource' : ''}`
}
