/**
 * Sends one push notification. The sender of the SDK makes one attempt, follows redirects and writes to the console: the bodies are
 * made by its serializers alone.
 */
import { RetryableError, TerminalError } from '../../index.ts'
import { retryAfterMs, timeoutSignal } from '../../kit/index.ts'
import { unobserved } from '../../kit/wire/index.ts'
import type { StreamResponse } from '@a2a-js/sdk'
import { A2A_LEGACY_PROTOCOL_VERSION } from '@a2a-js/sdk/compat/v0_3'
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server'
import { V1PushNotificationSerializer } from '@a2a-js/sdk/server'
import { within } from '../messages/within.ts'
import type { KeptPush } from './kept-pushes.ts'
import type { PushSettings } from './options.ts'
import { isAllowed } from './read-config.ts'

/** What a client is told. */
export type Notice = NonNullable<StreamResponse['payload']>

/** Whether the client reads the bodies of version 0.3, which are whole tasks. */
export function readsTasks({ version }: Pick<KeptPush, 'version'>): boolean {
  return version === A2A_LEGACY_PROTOCOL_VERSION
}

/**
 * `noticeId`: the same in each attempt. Rejects with a `RetryableError` where another attempt may succeed, and with a
 * `TerminalError` where none will.
 */
export async function send(
  push: KeptPush,
  payload: Notice,
  noticeId: string,
  settings: PushSettings,
): Promise<void> {
  const { url } = push.config
  const secret = settings.origins[originOf(url)]
  if (secret === undefined || !isAllowed(url, settings.origins))
    throw failed('Push notifications to its address are not allowed any more.')
  const serializer = readsTasks(push)
    ? new V03PushNotificationSerializer()
    : new V1PushNotificationSerializer()
  const { body, contentType } = serializer.serialize({ payload })
  const headers = {
    'content-type': contentType,
    ...credentialsOf(push),
    ...(await signatureOf(secret, noticeId, body)),
  }
  const response = await answerTo(url, { method: 'POST', headers, body }, settings)
  assertTaken(response)
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? ''
}

/** No redirect is followed: it could lead to any host. */
async function answerTo(url: string, init: RequestInit, { fetch, timeout }: PushSettings): Promise<Response> {
  const deadline = timeoutSignal(timeout)
  try {
    const { signal } = deadline
    const response = await within(signal, fetch(url, { ...init, redirect: 'manual', signal }))
    if (response.body !== null) void unobserved(response.body.cancel()) // its words do not matter
    return response
  } catch (error) {
    throw new RetryableError('The receiver of push notifications cannot be reached.', {
      code: 'PUSH_FAILED',
      cause: error,
    })
  } finally {
    deadline.stop()
  }
}

function assertTaken({ ok, status, type, headers }: Response): void {
  if (ok) return
  if (type === 'opaqueredirect' || (status >= 300 && status < 400))
    throw failed('The receiver of push notifications redirects its requests.')
  const message = `The receiver of push notifications answers ${status}.`
  if (status < 500 && ![408, 425, 429].includes(status)) throw failed(message)
  const after = retryAfterMs(headers, Date.now())
  throw new RetryableError(message, {
    code: 'PUSH_FAILED',
    ...(after === undefined ? {} : { retryAfterMs: after }),
  })
}

function failed(message: string): TerminalError {
  return new TerminalError(message, { code: 'PUSH_FAILED' })
}

/** What the client gave, so that it knows its agent again. SDKs look for the token by two names. */
function credentialsOf({ config: { token, authentication } }: KeptPush): Readonly<Record<string, string>> {
  return {
    ...(authentication === undefined
      ? {}
      : { authorization: `${authentication.scheme} ${authentication.credentials}`.trim() }),
    ...(token === '' ? {} : { 'x-a2a-notification-token': token, 'a2a-notification-token': token }),
  }
}

const text = /* @__PURE__ */ new TextEncoder()

/** Signs a notification as Standard Webhooks do: by HMAC-SHA256 over its id, its time and its body. */
async function signatureOf(
  secret: string,
  noticeId: string,
  body: string,
  seconds: number = Math.floor(Date.now() / 1000),
): Promise<Readonly<Record<string, string>>> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', keyOf(secret), algorithm, false, ['sign'])
  const signed = await crypto.subtle.sign(algorithm, key, text.encode(`${noticeId}.${seconds}.${body}`))
  return {
    'webhook-id': noticeId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${btoa(String.fromCharCode(...new Uint8Array(signed)))}`,
  }
}

/** A secret of Standard Webhooks is base64 behind `whsec_`; any other is taken as it is. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(secret) ?? []
  if (base64 === undefined) return text.encode(secret)
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}
