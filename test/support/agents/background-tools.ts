/** A tool that runs in the background, and the events of such work. */
import { createTool, type RunEvent, type ToolBackground } from 'troupe'
import { z } from 'zod'
import { calls, only } from './agents.ts'

interface More {
  readonly requireApproval?: boolean
  readonly timeout?: number
  readonly applicableStates?: readonly string[]
}

/** A tool in the background whose calls end when the test says so. */
export function research(background: boolean | ToolBackground = true, more: More = {}) {
  const started: string[] = []
  const aborted: string[] = []
  const ends = new Map<string, PromiseWithResolvers<string>>()
  const end = (topic: string): PromiseWithResolvers<string> => {
    const known = ends.get(topic) ?? Promise.withResolvers<string>()
    ends.set(topic, known)
    return known
  }
  const tool = createTool({
    id: 'research',
    description: 'Researches.',
    inputSchema: z.object({ topic: z.string().default('tides') }),
    background,
    ...more,
    execute: ({ topic }, { signal }) => {
      started.push(topic)
      signal.addEventListener('abort', () => aborted.push(topic))
      return end(topic).promise
    },
  })
  return { tool, started, aborted, end }
}

/** A reply that calls the tool for each topic. */
export const asks = (...topics: string[]) =>
  calls(...topics.map((topic) => ({ name: 'research', args: { topic } })))

/** The events of work in the background, by type and payload. */
export const background = (events: readonly RunEvent[]) =>
  only(events, 'background-start', 'background-end').map(({ type, payload }) => [type, payload])

/** What a model is told of a call in the background. */
export const begunTask = (task: string): string =>
  JSON.stringify({
    status: 'running in the background',
    task,
    note: 'Go on; you will be told when it has ended.',
  })
