/** The page of the inspector. */
import { render } from 'preact'
import { App } from './app/app.tsx'
import { Api } from './connection/api.ts'
import { onNewToken, takeToken } from './connection/token.ts'

const host = document.querySelector('#page')
if (host === null) throw new Error('The document has no place for the page.')
const token = takeToken()
const api = token === undefined ? undefined : new Api(token)
if (api !== undefined) onNewToken((next) => (api.token.value = next))
render(<App api={api} />, host)
