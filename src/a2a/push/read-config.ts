/** Reads the push notification config of a client, strictly: it decides where this server sends requests. */
import type { TaskPushNotificationConfig } from '@a2a-js/sdk'
import { RequestMalformedError } from '@a2a-js/sdk/errors'

/** The most configs of a task. */
export const mostConfigs = 10

const mostLetters = 4096

/** Throws a `RequestMalformedError`. An id is made where there is none. */
export function readConfig(
  given: TaskPushNotificationConfig,
  taskId: string,
  origins: Readonly<Record<string, string>>,
): TaskPushNotificationConfig {
  const { id, url, token, authentication } = given
  assertUrl(url, origins)
  if (id.length > 200) throw new RequestMalformedError('The id of a push notification config is too long.')
  assertHeader(token, 'token')
  if (authentication !== undefined) {
    const { scheme, credentials } = authentication
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(scheme))
      throw new RequestMalformedError('authentication.scheme must be the name of a scheme, such as Bearer.')
    assertHeader(credentials, 'authentication.credentials')
  }
  return { tenant: '', taskId, id: id === '' ? crypto.randomUUID() : id, url, token, authentication }
}

/** Whether notifications may go to an address: its origin is one of those that are allowed, and it has no credentials. */
export function isAllowed(url: string, origins: Readonly<Record<string, string>>): boolean {
  const read = url.length > mostLetters ? null : URL.parse(url)
  if (read === null || !Object.hasOwn(origins, read.origin)) return false
  return read.username === '' && read.password === ''
}

function assertUrl(url: string, origins: Readonly<Record<string, string>>): void {
  if (!isAllowed(url, origins))
    throw new RequestMalformedError('The agent sends no push notifications to this address.')
}

/** A value of a header has no line breaks and no signs beyond Latin-1. */
function assertHeader(text: string, name: string): void {
  if (text.length > mostLetters || !/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(text))
    throw new RequestMalformedError(`${name} cannot be the value of a header.`)
}
