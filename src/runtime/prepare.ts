/** From a request to run an agent to what its machine begins with. */
import { AppendLog } from '../actors/append-log.ts'
import { withWorkingMemory } from '../actors/working-memory.ts'
import type { Message } from '../actors/message.ts'
import type { AgentInput, AgentProfile, AgentRequest } from '../machines/agent.ts'
import type { AgentDefinition, Pattern } from './definition.ts'
import type { RunStarted } from './journal.ts'
import { profileOf } from './profile.ts'
import type { RunSettings } from './settings.ts'

export function prepareAgent(
  definition: AgentDefinition,
  request: AgentRequest,
  settings: RunSettings,
): { readonly pattern: Pattern; readonly input: AgentInput } {
  // The settings of a run are those of its root agent.
  const profile = remembering(
    request.depth === 0 ? profileOf(definition, settings) : below(request, profileOf(definition), definition),
    request,
  )
  // A model can only lower the cap; a hook of the user's sets it.
  const lowered = Math.min(profile.maxSteps, request.maxStepsLimit ?? profile.maxSteps)
  return {
    pattern: definition.pattern,
    input: {
      profile,
      runId: request.runId,
      path: request.path,
      task: request.task,
      messages: AppendLog.of(openingMessages(profile, request)),
      depth: request.depth,
      maxSteps: request.maxSteps ?? lowered,
      threadId: request.threadId ?? freshThread(profile, request),
      resourceId: request.resourceId,
    },
  }
}

/** An agent below the root may lower the depth of the tree, and otherwise takes it over. */
function below({ maxDepth }: AgentRequest, profile: AgentProfile, definition: AgentDefinition): AgentProfile {
  if (maxDepth === undefined) return profile
  return { ...profile, maxDepth: Math.min(maxDepth, definition.settings.maxDepth ?? maxDepth) }
}

/** An agent with working memory is offered the tool that writes it, where there is a resource to note things on. */
function remembering(profile: AgentProfile, { resourceId }: AgentRequest): AgentProfile {
  if (profile.memory?.workingMemory === undefined || resourceId === undefined) return profile
  return { ...profile, toolset: withWorkingMemory(profile.toolset) }
}

function freshThread({ memory }: AgentProfile, { runId, path }: AgentRequest): string | undefined {
  return memory === undefined ? undefined : `${runId}/${path}`
}

/** The agent's own instructions first, then what was added; the conversation before the task. */
function openingMessages({ instructions, responseFormat }: AgentProfile, request: AgentRequest): Message[] {
  const system = [instructions, ...request.addedInstructions, shapeOf(responseFormat)]
    .filter((part) => part.trim() !== '')
    .join('\n\n')
  return [
    ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
    ...request.history,
    { role: 'user', content: request.task },
  ]
}

/** Not every server can be told a shape, so every model is told. */
function shapeOf(format: AgentProfile['responseFormat']): string {
  if (format === undefined) return ''
  return `Your final answer must be one JSON value that fits this JSON Schema, and nothing else:\n${JSON.stringify(format.schema)}`
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
