/** Turns a request to run an agent into the chart and the input of its machine. */
import type { AnyStateMachine } from 'xstate'
import { AppendLog } from '../../actors/values/append-log.ts'
import { narrowed } from '../../actors/tool-groups.ts'
import type { AgentInput, AgentProfile, AgentRequest } from '../../machines/contract/agent.ts'
import type { EventPayloads } from '../../machines/contract/events.ts'
import type { HandoffChain } from '../../machines/contract/handoff-chain.ts'
import { offering, openingMessages, remembering } from '../../machines/contract/opening.ts'
import { versionsOf } from '../agents/run-registry.ts'
import type { AgentDefinition } from '../definition/definition.ts'
import type { RunStarted } from '../journal/journal.ts'
import { namesOf } from '../journal/lineage.ts'
import { ownThread } from '../journal/run-summary.ts'
import { memoryOf, profileOf } from '../definition/profile.ts'
import type { RunSettings } from '../options/settings.ts'

export function prepareAgent(
  definition: AgentDefinition,
  request: AgentRequest,
  settings: RunSettings,
): { readonly chart: () => AnyStateMachine; readonly input: AgentInput } {
  // The settings of a run are those of its root agent; a successor in its place keeps its own.
  const isRoot = request.depth === 0 && request.line === undefined
  const own = isRoot ? profileOf(definition, settings) : below(request, definition)
  const capped = settings.maxToolCallsPerStep === undefined ? { ...own, maxToolCallsPerStep: undefined } : own
  const profile = offering(remembering(inLine(capped, request.line), request.resourceId))
  const { content, history, framing, addedInstructions, line } = request
  const opening = {
    ...(content === undefined ? {} : { content }),
    history,
    addedInstructions,
    ...(framing === undefined ? {} : { framing }),
    ...(line === undefined ? {} : { line }),
  }
  // A model can only lower the cap; a hook of the user's sets it.
  const lowered = Math.min(profile.maxSteps, request.maxStepsLimit ?? profile.maxSteps)
  return {
    chart: definition.chart,
    input: {
      profile,
      runId: request.runId,
      ...(request.origin === undefined ? {} : { origin: request.origin }),
      path: request.path,
      task: request.task,
      messages: AppendLog.of(openingMessages(profile, opening, request.task)),
      opening,
      depth: request.depth,
      maxSteps: request.maxSteps ?? lowered,
      threadId: request.threadId ?? freshThread(profile, request),
      resourceId: request.resourceId,
      ...(request.awaitsTools === true ? { awaitsTools: true as const } : {}),
    },
  }
}

/**
 * An agent below the root may lower the depth of the tree and narrow its groups of tools; otherwise it inherits both.
 */
function below(request: AgentRequest, definition: AgentDefinition): AgentProfile {
  const { settings } = definition
  const profile =
    request.settings === undefined
      ? profileOf(definition)
      : profileOf(definition, patternSettings(request.settings))
  const { maxDepth: inherited = profile.maxDepth } = request
  const maxDepth = Math.min(inherited, settings.maxDepth ?? inherited)
  const toolGroups = narrowed(request.toolGroups, profile.toolGroups)
  const isSame = maxDepth === profile.maxDepth && toolGroups === profile.toolGroups
  return isSame ? profile : { ...profile, maxDepth, toolGroups }
}

function patternSettings({ maxSteps, ...caps }: NonNullable<AgentRequest['settings']>): RunSettings {
  return { hooks: [], caps, ...(maxSteps === undefined ? {} : { maxSteps }) }
}

/**
 * Applies a handoff chain to the profile of a successor: it answers in the response format that was requested, and
 * keeps the exchange in the thread of the conversation. The messages in that thread came with the conversation and are
 * not read again.
 */
function inLine(profile: AgentProfile, line: HandoffChain | undefined): AgentProfile {
  if (line === undefined) return profile
  const { validateObject: _own, ...hooks } = profile.hooks
  const { shape, remembers, filter } = line
  return {
    ...profile,
    responseFormat: shape?.format,
    hooks: {
      ...(filter === undefined ? {} : { handoffFilter: filter }),
      ...hooks,
      ...(shape === undefined ? {} : { validateObject: shape.scope }),
    },
    memory: remembers === true ? { ...profile.memory, lastMessages: 0 } : profile.memory,
  }
}

function freshThread(
  { memory, dynamic }: Pick<AgentProfile, 'memory' | 'dynamic'>,
  { runId, origin = runId, path }: Place,
): string | undefined {
  return memory === undefined && !dynamic.includes('memory') ? undefined : ownThread(origin, path)
}

type Place = Pick<AgentRequest, 'runId' | 'origin' | 'path'>

/**
 * The thread that a run begins with: the given one, else, of an agent with memory, a new one. `undefined` also where a
 * function of the run decides on the memory.
 */
export function threadOfRun(started: RunStarted, { settings, dynamic }: AgentDefinition): string | undefined {
  const { threadId, runId, agent } = started
  const isMadeForRun = dynamic.includes('memory') && started.settings.memory === undefined
  const memory = isMadeForRun ? undefined : memoryOf(settings, started.settings)
  return threadId ?? freshThread({ memory, dynamic: [] }, { runId, path: agent })
}

/** The payload of the event with which a run begins. */
export function beginningOf(started: RunStarted, threadId: string | undefined): EventPayloads['run-start'] {
  const { task, promptId, clientTools } = started
  return {
    task,
    ...(promptId === undefined ? {} : { promptId }),
    ...(threadId === undefined ? {} : { threadId }),
    ...(clientTools === undefined ? {} : { clientTools: clientTools.map(({ name }) => name) }),
    ...versionsOf(started),
  }
}

/** The request that a run begins with; that of a fork names what its origin named. */
export function rootRequest(started: RunStarted): AgentRequest {
  const { threadId, origin } = namesOf(started)
  return {
    agent: started.agent,
    task: started.task,
    ...(started.content === undefined ? {} : { content: started.content }),
    history: started.history,
    addedInstructions: [],
    depth: 0,
    path: started.agent,
    runId: started.runId,
    ...(origin === undefined ? {} : { origin }),
    ...(threadId === undefined ? {} : { threadId }),
    ...(started.resourceId === undefined ? {} : { resourceId: started.resourceId }),
  }
}
