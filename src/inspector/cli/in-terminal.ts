/** Runs the commands that answer in the terminal: they read the store, and take no run of it. */
import {
  type AnyAgent,
  ConfigurationError,
  type JournalEntry,
  RunNotFoundError,
  SignalError,
  type Store,
  type Tool,
} from '../../index.ts'
import {
  agentsOnRecord,
  cutToColumns,
  recordedTrail,
  sleep,
  storedRuns,
  visibleText,
} from '../../kit/index.ts'
import { openSource } from '../files/entry-source.ts'
import { RowMaker } from '../files/row-maker.ts'
import type { Row } from '../wire/rows.ts'
import type { Summary } from '../../view/summary/summary.ts'
import type { Terminal } from './terminal.ts'
import { signalOf, type Decision, type TerminalCommand } from './terminal-command.ts'

/** Milliseconds between two looks at the journal of a run that is followed. */
const pollInterval = 250

export const exitCodes = {
  done: 0,
  noRun: 2,
  refused: 3,
  endedOtherwise: 4,
  notGiven: 5,
  interrupted: 130,
} as const

export type CommandOf<Name> = Extract<TerminalCommand, { readonly name: Name }>

/** The store of a command, and the agents that were named. */
export interface Sources {
  readonly store: Store
  readonly agents: readonly AnyAgent[]
}

/** Resolves with the exit code. */
export async function inTerminal(
  command: Exclude<TerminalCommand, { readonly name: 'fork' | 'schedules' }>,
  sources: Sources,
  terminal: Terminal,
): Promise<number> {
  return refused(terminal, async () => {
    switch (command.name) {
      case 'runs':
        return runs(command, sources, terminal)
      case 'show':
      case 'why':
        return show(command, sources, terminal)
      case 'follow':
        return follow(command, sources, terminal)
      case 'answer':
        return answer(command, sources, terminal)
    }
  })
}

/** Says why there is no run, and why an answer is refused. */
export async function refused(
  terminal: Pick<Terminal, 'printError'>,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RunNotFoundError) {
      terminal.printError(`There is no run "${visibleText(error.runId)}" in this store.\n`)
      return exitCodes.noRun
    }
    if (error instanceof SignalError) {
      terminal.printError(`${visibleText(error.message)}\n`)
      return exitCodes.refused
    }
    throw error
  }
}

async function runs(
  {
    limit,
    status,
    agent,
    resource,
    outcome,
    code,
    text,
    since,
    started,
    order,
    ...common
  }: CommandOf<'runs'>,
  { store }: Sources,
  terminal: Terminal,
): Promise<number> {
  const service = storedRuns({ store })
  const page = await service.runs({
    limit,
    order: order ?? 'newest',
    ...(status === undefined ? {} : { status }),
    ...(agent === undefined ? {} : { agent }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(resource === undefined ? {} : { resourceId: resource }),
    ...(code === undefined ? {} : { code }),
    ...(text === undefined ? {} : { text }),
    ...(since === undefined ? {} : { changedSince: Date.now() - since }),
    ...(started === undefined ? {} : { startedSince: Date.now() - started }),
  })
  await service.close()
  if (common.json) terminal.print(jsonOf(page))
  else if (page.items.length === 0) terminal.print('There is no such run.\n')
  else {
    const { runsText } = await import('troupe/view')
    terminal.print(runsText(page.items, lookOf(common, terminal)))
    if (page.next !== undefined) terminal.print(`There are more: --limit ${limit * 2} shows them.\n`)
  }
  return exitCodes.done
}

async function show(
  { name, runId, at, ...common }: CommandOf<'show' | 'why'>,
  sources: Sources,
  terminal: Terminal,
): Promise<number> {
  const summary = await summaryOf(runId, sources, at)
  const { sentenceText, summaryText } = await import('troupe/view')
  if (!common.json) {
    const part = name === 'why' ? 'why' : 'all'
    terminal.print(summaryText(summary, { ...lookOf(common, terminal), part }))
  } else if (name === 'show') terminal.print(jsonOf(summary))
  else {
    const { status, outcome, ending, failures, missing } = summary
    terminal.print(jsonOf({ runId, status, outcome, ending: sentenceText(ending), failures, missing }))
  }
  return exitCodes.done
}

async function follow(
  { runId, ...common }: CommandOf<'follow'>,
  sources: Sources,
  terminal: Terminal,
): Promise<number> {
  const { store } = sources
  const service = storedRuns({ store, agents: agentsFor(await journalOf(store, runId), sources) })
  const leaving = terminal.interrupted().then(() => true)
  try {
    const source = await openSource(service, runId)
    const rows = new RowMaker()
    for (let position = 0, isLeaving = false; !isLeaving;) {
      let hasEnded = false
      const entries = await source.more()
      for (const entry of entries) {
        terminal.print(followed(rows.row(entry, position), common, terminal))
        position++
        hasEnded ||= entry.type === 'run.settled'
      }
      if (hasEnded) return await ended(runId, { common, sources, terminal })
      const rest = entries.length === 0 ? pollInterval : 0
      isLeaving = await Promise.race([leaving, sleep(rest).then(() => false)])
    }
    return exitCodes.interrupted
  } finally {
    await service.close()
  }
}

interface Ending {
  readonly common: Pick<TerminalCommand, 'json'>
  readonly sources: Sources
  readonly terminal: Terminal
}

async function ended(runId: string, { common, sources, terminal }: Ending): Promise<number> {
  const { sentenceText } = await import('troupe/view')
  const { ending, outcome } = await summaryOf(runId, sources)
  if (!common.json) terminal.print(`${sentenceText(ending)}\n`)
  return outcome === 'completed' || outcome === 'bailed' ? exitCodes.done : exitCodes.endedOtherwise
}

/** An entry in a line. */
function followed(
  { row, at, type, kind, path = '', line }: Row,
  common: Pick<TerminalCommand, 'json' | 'width'>,
  terminal: Terminal,
): string {
  const entry = row + 1
  if (common.json)
    return `${JSON.stringify({ entry, type, at, ...(kind === undefined ? {} : { kind }), path, line })}\n`
  const time = new Date(at).toISOString().slice(11, 19)
  return shortened(
    `${String(entry).padStart(5)}  ${time}  ${kind ?? type}  ${path}  ${line}`,
    common,
    terminal,
  )
}

/** Queues the answer. The agents on record suffice to find the question. */
async function answer(command: CommandOf<'answer'>, sources: Sources, terminal: Terminal): Promise<number> {
  const { runId, question, json, by } = command
  const { store } = sources
  const service = storedRuns({ store, agents: agentsFor(await journalOf(store, runId), sources) })
  try {
    const open = (await service.awaiting({ runId })).items
    const [first, ...others] = open
    if (question === undefined && others.length > 0) {
      const ids = open.map(
        ({ toolCallId, toolName }) => `  ${visibleText(toolCallId)}  ${visibleText(toolName)}`,
      )
      throw new ConfigurationError(
        `answer: the run asks ${open.length} questions. Name one:\n${ids.join('\n')}`,
      )
    }
    const toolCallId = question ?? first?.toolCallId
    if (toolCallId === undefined) {
      terminal.printError(`The run "${visibleText(runId)}" asks nothing.\n`)
      return exitCodes.refused
    }
    await assertFits(
      command.decision,
      open.find((asked) => asked.toolCallId === toolCallId),
      sources.agents,
    )
    await service.signal(runId, signalOf(command, toolCallId))
    const shown = visibleText(toolCallId)
    terminal.print(
      json
        ? jsonOf({ runId, toolCallId, queued: true })
        : `Queued for the owner of the run: ${shown}, by ${visibleText(by)}.\n`,
    )
    return exitCodes.done
  } finally {
    await service.close()
  }
}

/** Throws a `ConfigurationError` for changed arguments that the tool refuses, where its agent was named. */
async function assertFits(
  decision: Decision,
  question: { readonly agent: string; readonly toolName: string } | undefined,
  agents: readonly AnyAgent[],
): Promise<void> {
  if (decision.type !== 'approve' || decision.args === undefined || question === undefined) return
  const schema = toolOf(agents, question.agent, question.toolName)?.inputSchema
  const [issue] = (await schema?.['~standard'].validate(decision.args))?.issues ?? []
  if (issue === undefined) return
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  throw new ConfigurationError(
    `answer: --args do not fit the tool "${visibleText(question.toolName)}"${path === '' ? '' : `, at ${visibleText(path)}`}: ${visibleText(issue.message)}. Give all its arguments.`,
  )
}

/** The tool of an agent, among these agents and their subagents. */
function toolOf(agents: readonly AnyAgent[], id: string, name: string): Tool | undefined {
  const seen = new Set<AnyAgent>(agents)
  for (const agent of seen) {
    if (agent.id === id) return agent.tools[name]
    for (const subagent of Object.values(agent.agents)) seen.add(subagent)
  }
  return undefined
}

async function journalOf(store: Store, runId: string, from = 0): Promise<readonly JournalEntry[]> {
  const entries = await store.read(runId, from)
  if (entries === undefined) throw new RunNotFoundError(runId)
  return entries
}

/** Those that were named, else those on record; none where the journal does not have them. */
function agentsFor(journal: readonly JournalEntry[], { agents }: Sources): readonly AnyAgent[] {
  const [started] = journal
  if (agents.length > 0 || started?.type !== 'run.started') return agents
  try {
    return agentsOnRecord(started)
  } catch {
    return []
  }
}

/** By a replay where that is possible, else by the journal alone. `at`: the number of entries to look at. */
async function summaryOf(runId: string, { store, agents }: Sources, at?: number): Promise<Summary> {
  const { summarise } = await import('troupe/view')
  const journal = (await journalOf(store, runId)).slice(0, at)
  const replayed = async () => {
    if (agents.length === 0) return recordedTrail(journal)
    const service = storedRuns({ store, agents })
    return service.trail(runId, at === undefined ? {} : { limit: at })
  }
  const trail = await replayed().catch(() => undefined)
  const [started] = journal
  const root = started?.type === 'run.started' ? started.agent : ''
  return summarise(trail?.entries ?? journal.map((recorded) => ({ journal: root, recorded, events: [] })))
}

type Look = Pick<TerminalCommand, 'width'>

export function lookOf({ width }: Look, terminal: Terminal) {
  return { width: width ?? Math.max(40, terminal.columns ?? 100), color: terminal.hasColor === true }
}

function shortened(line: string, look: Look, terminal: Terminal): string {
  return `${cutToColumns(line, lookOf(look, terminal).width)}\n`
}

export function jsonOf(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
