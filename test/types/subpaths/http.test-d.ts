/** A handler of requests needs `authorize`, and serves troupes of each engine. */
import { createAgent, type ChatModel, type Troupe } from 'troupe'
import { createHandler, type Access, type Handler } from 'troupe/http'
import type { RestateTroupe } from 'troupe/restate'
import { expectType } from '../expect-type.ts'

export function handlers(troupe: Troupe, remote: RestateTroupe, model: ChatModel): void {
  const agent = createAgent({ id: 'desk', instructions: '', model })
  const authorize = async (request: Request): Promise<Access | false> => {
    const user = request.headers.get('x-user')
    return user !== null && { resource: user, by: user }
  }
  expectType<Handler>()(createHandler(troupe, { authorize, agents: [agent] }))
  createHandler(remote, { authorize: 'everybody' })
  createHandler(troupe, {
    authorize(_, asked) {
      if (asked.of === 'run') expectType<string | undefined>()(asked.run?.resourceId)
      if (asked.of === 'agent') expectType<'start'>()(asked.right)
      return asked.right === 'read' ? { resource: null } : new Response(null, { status: 401 })
    },
    runOptions: ({ input }) => ({ context: input }),
  })
  // @ts-expect-error -- the decision has to be written out
  createHandler(troupe, {})
  // @ts-expect-error -- a yes does not say to which runs
  createHandler(troupe, { authorize: () => true })
  // @ts-expect-error -- a caller without a resource is not one who has all
  createHandler(troupe, { authorize: () => ({ by: 'ann' }) })
  // @ts-expect-error -- there is no such name
  createHandler(troupe, { authorize: 'anybody' })
}
