/** The chats: a message or an approval is a POST, and a page that comes back sends a GET. */
import { handler } from '../../../../server/bureau.ts'

export { handler as GET, handler as POST }
