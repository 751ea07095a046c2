/** Who may do what: customers have their own runs, and the staff read all of them and answer their questions. */
import type { Authorize } from 'troupe/http'
import type { Sessions } from './sessions.ts'

export function accessOf(sessions: Sessions): Authorize {
  return async (request, { right }) => {
    const user = await sessions.userOf(request)
    if (user === undefined) return new Response('Sign in first.', { status: 401 })
    switch (user.role) {
      case 'staff':
        return (right === 'read' || right === 'answer') && { resource: null, by: user.name }
      case 'customer':
        return right !== 'answer' && right !== 'delete' && { resource: user.name, by: user.name }
    }
  }
}
