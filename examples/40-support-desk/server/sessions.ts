/**
 * Who uses the desk. Choosing a name stands in for the sign-in of your app; the session is a cookie that the server signs, so
 * that it outlives a restart of the server.
 */
import { parseSigned, serializeSigned } from 'hono/utils/cookie'

export interface User {
  readonly name: string
  readonly role: 'customer' | 'staff'
}

const users: readonly User[] = [
  { name: 'ann', role: 'customer' },
  { name: 'ben', role: 'customer' },
  { name: 'sam', role: 'staff' },
]

const cookie = 'desk-session'

export class Sessions {
  readonly #secret: string

  constructor(secret: string) {
    this.#secret = secret
  }

  /** The value of `Set-Cookie` for a user; `undefined`: there is no such user. */
  async open(name: unknown): Promise<string | undefined> {
    if (!users.some((user) => user.name === name)) return undefined
    const options = { httpOnly: true, sameSite: 'Strict', path: '/' } as const
    return serializeSigned(cookie, String(name), this.#secret, options)
  }

  async userOf(request: Request): Promise<User | undefined> {
    const cookies = await parseSigned(request.headers.get('cookie') ?? '', this.#secret, cookie)
    return users.find(({ name }) => name === cookies[cookie])
  }
}
