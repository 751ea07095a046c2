/** The app on Hono: the page, the session, and the runs. */
import { Hono } from 'hono'
import type { AnyAgent, Troupe } from 'troupe'
import { createHandler } from 'troupe/http'
import { summarise, summaryText } from 'troupe/view'
import { accessOf } from './access.ts'
import type { Sessions } from './sessions.ts'

/** `page`: the routes of the page. */
export function deskApp(troupe: Troupe, desk: AnyAgent, sessions: Sessions, page: Hono): Hono {
  const runs = createHandler(troupe, {
    agents: [desk],
    base: '/api',
    authorize: accessOf(sessions),
    // All runs of a customer are one thread: the agent remembers what was said before.
    runOptions: ({ access }) => (access.resource === null ? {} : { threadId: `chat-of-${access.resource}` }),
  })
  return new Hono()
    .route('/', page)
    .get('/session', async (context) => context.json((await sessions.userOf(context.req.raw)) ?? null))
    .post('/session', async (context) => {
      const { name } = await context.req.json<{ name?: unknown }>()
      const opened = await sessions.open(name)
      if (opened === undefined) return context.json({ error: 'There is no such user.' }, 400)
      return context.body(null, 204, { 'set-cookie': opened })
    })
    .get('/summary/:runId', async (context) => {
      const user = await sessions.userOf(context.req.raw)
      if (user?.role !== 'staff') return context.text('For the staff.', 403)
      const { entries } = await troupe.trail(context.req.param('runId'))
      return context.text(summaryText(summarise(entries), { width: 72 }))
    })
    .all('/api/*', (context) => runs(context.req.raw))
}
