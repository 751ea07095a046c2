/** A newsletter: an editor, a reporter, and an archivist who works in the background. */
import { createAgent, createSupervisor, createTool, type ChatModel } from 'troupe'
import { z } from 'zod'

/** `archiveIsOpen: false`: the archivist waits at a closed door, until somebody stops it. */
export function createNewsletter(model: ChatModel, { archiveIsOpen }: { archiveIsOpen: boolean }) {
  // As slow as it can be: it answers when the editor has nothing else left to do.
  const answers = Promise.withResolvers<string>()
  const search = createTool({
    id: 'search',
    description: 'Searches the archive. That takes its time.',
    inputSchema: z.object({ words: z.string() }),
    execute: () => answers.promise,
  })
  const archivist = createAgent({
    id: 'archivist',
    description: 'Knows what happened in earlier years.',
    instructions: 'You are the archivist. Search the archive, then say what it holds in one sentence.',
    model,
    tools: { search },
  })
  const reporter = createAgent({
    id: 'reporter',
    description: 'Knows what is planned.',
    instructions: 'You are the reporter. Say what is planned in one sentence.',
    model,
  })
  return createSupervisor({
    id: 'editor',
    instructions: 'You edit the newsletter of a town. Ask your agents, then write two sentences.',
    model,
    agents: { archivist, reporter },
    backgroundTasks: { archivist: { timeoutMs: 60_000, concurrency: 2 } },
    onIterationComplete({ iteration }) {
      if (iteration > 1 && archiveIsOpen) answers.resolve('1911: first fair, in the rain.')
    },
  })
}
