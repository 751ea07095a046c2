/** The troupe of this server, and the handler of its chats. */
import { createTroupe, memoryStore, openai } from 'troupe'
import { createHandler, type Handler } from 'troupe/http'
import type { Troupe } from 'troupe'
import { createBureau } from '../agents.ts'

interface Bureau {
  readonly troupe: Troupe
  readonly handler: Handler
}

function openBureau(): Bureau {
  const agent = createBureau(openai(process.env['OPENAI_MODEL'] ?? 'gpt-5-mini'))
  const troupe = createTroupe({ agents: [agent], store: memoryStore() })
  const handler = createHandler(troupe, {
    agents: [agent],
    base: '/api/chat',
    wire: 'ai-sdk',
    authorize(request) {
      const [, visitor] = /(?:^|; )visitor=([\w-]+)/.exec(request.headers.get('cookie') ?? '') ?? []
      return visitor === undefined
        ? new Response('Load the page first.', { status: 401 })
        : { resource: visitor, clientTools: ['theme'] }
    },
  })
  return { troupe, handler }
}

/** Next.js loads a module once for the page and once for its routes: both have the same troupe. */
const place = globalThis as { bureau?: Bureau }

export const { troupe, handler } = (place.bureau ??= openBureau())
