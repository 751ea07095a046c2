/** Before an example: builds the modules of the package and the page of the inspector where they are older than their sources. */
import { ensurePage } from '../page/build-page.ts'
import { ensureModules } from './modules.ts'

await ensureModules()
await ensurePage()
