/** From a request to run an agent to what its machine begins with. */
import { AppendLog } from '../actors/append-log.ts'
import { narrowed } from '../actors/tool-groups.ts'
import type { AgentInput, AgentProfile, AgentRequest } from '../machines/agent.ts'
import { offering, openingMessages, remembering } from '../machines/opening.ts'
import type { AgentDefinition } from './definition.ts'
import type { Pattern } from './pattern.ts'
import type { RunStarted } from './journal.ts'
import { profileOf } from './profile.ts'
import type { RunSettings } from './settings.ts'

export function prepareAgent(
  definition: AgentDefinition,
  request: AgentRequest,
  settings: RunSettings,
): { readonly pattern: Pattern; readonly input: AgentInput } {
  // The settings of a run are those of its root agent.
  const own =
    request.depth === 0 ? profileOf(definition, settings) : below(request, profileOf(definition), definition)
  const profile = offering(remembering(own, request.resourceId))
  const { history, framing, addedInstructions } = request
  const opening = { history, addedInstructions, ...(framing === undefined ? {} : { framing }) }
  // A model can only lower the cap; a hook of the user's sets it.
  const lowered = Math.min(profile.maxSteps, request.maxStepsLimit ?? profile.maxSteps)
  return {
    pattern: definition.pattern,
    input: {
      profile,
      runId: request.runId,
      path: request.path,
      task: request.task,
      messages: AppendLog.of(openingMessages(profile, opening, request.task)),
      opening,
      depth: request.depth,
      maxSteps: request.maxSteps ?? lowered,
      threadId: request.threadId ?? freshThread(profile, request),
      resourceId: request.resourceId,
    },
  }
}

/** An agent below the root may lower the depth of the tree and narrow its groups of tools, and else takes both over. */
function below(request: AgentRequest, profile: AgentProfile, { settings }: AgentDefinition): AgentProfile {
  const { maxDepth = profile.maxDepth, toolGroups } = request
  return {
    ...profile,
    maxDepth: Math.min(maxDepth, settings.maxDepth ?? maxDepth),
    toolGroups: narrowed(toolGroups, profile.toolGroups),
  }
}

function freshThread({ memory }: AgentProfile, { runId, path }: AgentRequest): string | undefined {
  return memory === undefined ? undefined : `${runId}/${path}`
}

/** The request that a run begins with. */
export function rootRequest(started: RunStarted): AgentRequest {
  return {
    agent: started.agent,
    task: started.task,
    history: started.history,
    addedInstructions: [],
    depth: 0,
    path: started.agent,
    runId: started.runId,
    ...(started.threadId === undefined ? {} : { threadId: started.threadId }),
    ...(started.resourceId === undefined ? {} : { resourceId: started.resourceId }),
  }
}
