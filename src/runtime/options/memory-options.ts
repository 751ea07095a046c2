/** The option `memory`: brought into the form that a machine knows. */
import { defaultsOf } from '../../actors/strict/read-options.ts'
import { workingMemoryToolName } from '../../actors/working-memory.ts'
import { ConfigurationError } from '../../errors.ts'
import type { MemoryProfile } from '../../machines/contract/agent.ts'
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

/** Throws a `ConfigurationError` when a tool has the name of the one that working memory brings along. */
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

/** Throws a `ConfigurationError` for a router that is to remember nothing. */
export function assertRouterMemory(memory: MemoryProfile | false | undefined, where: string): void {
  if (memory) return
  throw new ConfigurationError(
    `${where}: a router needs memory, in which the conversation is kept that it routes by; memory: true takes the defaults.`,
  )
}

/** As `assertNoClash`, and when the run names no resource to keep a note on. */
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
