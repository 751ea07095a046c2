/** The beginning of an agent: its opening messages, and the tools on offer. */
import type { Content } from '../../actors/content/content.ts'
import type { Message } from '../../actors/message.ts'
import { withWorkingMemory } from '../../actors/toolset/working-memory.ts'
import type { AgentInput, AgentProfile } from './agent.ts'

/**
 * The agent's own instructions first, then the framing, then added instructions; the history before the task. After a
 * handoff the history holds the task.
 */
export function openingMessages(
  { instructions, responseFormat }: AgentProfile,
  { content, history, framing = '', addedInstructions, line }: AgentInput['opening'],
  task: string,
): Message[] {
  const system = [instructions, framing, ...addedInstructions, shapeOf(responseFormat)]
    .filter((part) => part.trim() !== '')
    .join('\n\n')
  return [
    ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
    ...history,
    ...lastMessages(line, content ?? task),
  ]
}

function lastMessages(line: AgentInput['opening']['line'], task: Content): readonly Message[] {
  if (line === undefined) return [{ role: 'user', content: task }]
  return line.notice === undefined ? [] : [{ role: 'user', content: line.notice, internal: 'notice' }]
}

/** The prompt states the schema, because not every server accepts one. */
function shapeOf(format: AgentProfile['responseFormat']): string {
  if (format === undefined) return ''
  return `Your final answer must be one JSON value that fits this JSON Schema, and nothing else:\n${JSON.stringify(format.schema)}`
}

/** A profile with the tools that its groups and its tool state offer. */
export function offering(profile: AgentProfile): AgentProfile {
  const toolset = profile.toolset.within(profile)
  return toolset === profile.toolset ? profile : { ...profile, toolset }
}

/** An agent with working memory is offered the tool that writes it, where there is a resource for its notes. */
export function remembering(profile: AgentProfile, resourceId: string | undefined): AgentProfile {
  if (profile.memory?.workingMemory === undefined || resourceId === undefined) return profile
  return { ...profile, toolset: withWorkingMemory(profile.toolset) }
}
