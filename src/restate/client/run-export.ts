/** Exports the journals of all workflows of a run as one piece of JSON, and replays such an export. */
import { RunNotFoundError, type JournalMismatch } from '../../errors.ts'
import type { JournalEntry } from '../../runtime/journal/journal.ts'
import { type AgentRegistry, lookUp } from '../../runtime/definition/registry.ts'
import type { Replay, ReplayOptions } from '../../runtime/replay/replay-contract.ts'
import type { Reporter } from '../../runtime/report.ts'
import { shapedResult } from '../../runtime/handle/shaped-result.ts'
import { resultOf } from '../../runtime/state/run-results.ts'
import type { LastTurn, Turn } from '../wire/wire.ts'
import type { RunWorkflow } from './find-run.ts'
import type { RunIngress } from './ingress.ts'
import type { PartReplay } from './part-replay.ts'
import { TreeReplay, type TreeReplayOptions } from './tree-replay.ts'

/** The journals of a run and its subagents, as JSON. */
export interface RunExport {
  readonly runId: string
  /** The root agent's id. */
  readonly agent: string
  /** The part of the run, and then those of its subagents. */
  readonly parts: readonly ExportedPart[]
}

/** The journal of a run, or of one of its subagents. */
export interface ExportedPart {
  /** The owner of the journal: ids of the actors from the root agent to it, joined with "/". */
  readonly path: string
  /** Journal entries, by the turns in which they were delivered. */
  readonly turns: readonly (readonly JournalEntry[])[]
}

/**
 * Finds the journals of a run by a replay, where Restate cannot be asked for them. Rejects with a `JournalMismatchError` at an
 * entry to which the agents do not lead any more.
 */
export async function exportRun(registry: AgentRegistry, journals: RunJournals): Promise<RunExport> {
  // Changed inputs leave the journals as they are: a replay of the export tells of them.
  const { tree } = await replayed(journals, { registry, onDiverged: () => undefined })
  const parts = [...tree.branches()].flatMap(({ path, turns }) =>
    turns.length === 0 ? [] : [{ path, turns }],
  )
  return { runId: journals.runId, agent: journals.agent, parts }
}

/** Reads the journals of a run as they are, without its agents. `workflows`: all of the run. Rejects with a `RunNotFoundError` where there is no journal. */
export async function readJournals(
  ingress: Pick<RunIngress, 'read'>,
  runId: string,
  agent: string,
  workflows: readonly RunWorkflow[],
): Promise<RunExport> {
  const journals = new Map<string, (readonly JournalEntry[])[]>()
  const ends = new Map<string, LastTurn>()
  for (const workflow of workflows) {
    const turns = await turnsOf(ingress, runId, workflow)
    journals.set(
      workflow.path,
      turns.map(({ entries }) => entries),
    )
    for (const turn of turns) note(turn, ends)
  }
  for (const [path, { after, entries }] of ends) {
    const turns = journals.get(path) ?? []
    if (turns.length === after) turns.push(entries)
    journals.set(path, turns)
  }
  const parts: ExportedPart[] = []
  for (const [path, turns] of journals) if (turns.length > 0) parts.push({ path, turns })
  if (parts.length === 0) throw new RunNotFoundError(runId)
  return { runId, agent, parts }
}

async function turnsOf(
  ingress: Pick<RunIngress, 'read'>,
  runId: string,
  workflow: RunWorkflow,
): Promise<readonly Turn[]> {
  const turns: Turn[] = []
  for (let isMore = true; isMore;) {
    const reply = await ingress.read({ runId, ...workflow }, { from: turns.length })
    turns.push(...reply.turns)
    isMore = reply.isMore === true
  }
  return turns
}

/** A part may leave the end of its journal to its parent, with the ends of the parts below it. */
function note({ ends = {} }: Turn, into: Map<string, LastTurn>): void {
  for (const [path, last] of Object.entries(ends)) {
    into.set(path, last)
    note(last, into)
  }
}

/** The journals of a run: in Restate, or in an export. */
export interface RunJournals {
  readonly runId: string
  /** The root agent's id. */
  readonly agent: string
  readonly read: TreeReplayOptions['read']
}

export function journalsIn(ingress: RunIngress, runId: string, agent: string): RunJournals {
  return { runId, agent, read: (of, path, from) => ingress.read({ runId, agent: of, path }, { from }) }
}

export function journalsOf({ runId, agent, parts }: RunExport): RunJournals {
  const byPath = new Map(parts.map((part) => [part.path, part]))
  return {
    runId,
    agent,
    async read(_agent, path, from) {
      const turns = byPath.get(path)?.turns ?? []
      return { turns: turns.slice(from).map((entries) => ({ entries })) }
    },
  }
}

export async function replayRun(
  registry: AgentRegistry,
  journals: RunJournals,
  { inspect }: Pick<ReplayOptions, 'inspect'> = {},
  report?: Reporter,
): Promise<Omit<Replay, 'actors'>> {
  let diverged: JournalMismatch | undefined
  const onDiverged = (difference: JournalMismatch): void => void (diverged ??= difference)
  const { tree, root } = await replayed(journals, { registry, inspect, report, onDiverged })
  const { structuredOutput } = lookUp(registry, journals.agent).options
  const result = root.output && resultOf(root.state, root.output)
  return {
    runId: journals.runId,
    result: result && (await shapedResult(result, structuredOutput?.schema)),
    events: tree.log.withCursors(),
    entries: [...tree.branches()].reduce((count, { turns }) => count + turns.flat().length, 0),
    ...(diverged === undefined ? {} : { diverged }),
  }
}

/** Replays all journals of a run, once. Rejects with a `RunNotFoundError` where there are none. */
export async function replayed(
  { runId, agent, read }: RunJournals,
  options: Omit<TreeReplayOptions, 'agent' | 'read'>,
): Promise<{ readonly tree: TreeReplay; readonly root: PartReplay }> {
  const tree = new TreeReplay({ ...options, agent, read })
  await tree.pump()
  const { root } = tree
  if (root === undefined) throw new RunNotFoundError(runId)
  return { tree, root }
}
