/** The option `memory`: converted into the profile that a machine reads. */
import { defaultsOf } from '../../actors/strict/read-options.ts'
import { workingMemoryToolName } from '../../actors/toolset/working-memory.ts'
import { ConfigurationError } from '../../errors.ts'
import type { MemoryProfile } from '../../machines/contract/profile.ts'
import { memoryFields } from './option-fields.ts'
import type { MemoryOptions } from './options.ts'

/** A copy with its defaults; `false`: no memory. */
export function memorySettings(memory: boolean | MemoryOptions): MemoryProfile | false {
  if (memory === false) return false
  const { lastMessages, workingMemory } = { ...defaultsOf(memoryFields), ...(memory === true ? {} : memory) }
  if (workingMemory === false) return { lastMessages }
  const { template } = workingMemory === true ? {} : workingMemory
  return { lastMessages, workingMemory: template === undefined ? {} : { template } }
}

/** Throws a `ConfigurationError` when a tool has the name of the tool that working memory adds. */
export function assertNoClash(
  memory: MemoryProfile | false | undefined,
  tools: Readonly<Record<string, unknown>>,
  where: string,
): void {
  if (memory && memory.workingMemory !== undefined && Object.hasOwn(tools, workingMemoryToolName)) {
    throw new ConfigurationError(
      `${where}: memory.workingMemory brings a tool "${workingMemoryToolName}", and there is another one of that name.`,
    )
  }
}

/**
 * Throws a `ConfigurationError` when a run of an agent alone names a thread: its store is gone after the run, and the
 * thread with it.
 */
export function assertKeepsThread(
  memory: MemoryProfile | undefined,
  threadId: string | undefined,
  where: string,
): void {
  if (memory === undefined || threadId === undefined) return
  throw new ConfigurationError(
    `${where}: threadId names a thread that the next run is to find, and generate() and stream() of an agent keep nothing after the run. Start the run in a troupe: const troupe = createTroupe({ agents }), then troupe.start(agent, prompt, { threadId }).`,
  )
}

/** Throws a `ConfigurationError` for a router without memory. */
export function assertRouterMemory(memory: MemoryProfile | false | undefined, where: string): void {
  if (memory) return
  throw new ConfigurationError(
    `${where}: a router needs memory, in which the conversation is kept that it routes by; memory: true takes the defaults.`,
  )
}

/** Throws a `ConfigurationError` for an agent that is to keep its handoffs and has no memory. `memory`: as it was given. */
export function assertKeepsHandoff(memory: unknown, where: string): void {
  if (memory !== undefined && memory !== false) return
  throw new ConfigurationError(
    `${where}: keepHandoff needs memory: the thread records which agent holds the conversation.`,
  )
}

/** As `assertNoClash`; also throws when working memory is on and the run names no resource. */
export function assertRemembers(
  memory: MemoryProfile | undefined,
  tools: Readonly<Record<string, unknown>>,
  resourceId: string | undefined,
  where: string,
): void {
  assertNoClash(memory, tools, where)
  if (memory?.workingMemory !== undefined && resourceId === undefined) {
    throw new ConfigurationError(
      `${where}: memory.workingMemory is a note on a user or entity; name it with resourceId.`,
    )
  }
}
