import { revalidatePath } from "next/cache";
import { verifyWebhook, WebhookError } from "postroom/client";

/** Postroom calls this when a post is published, changed or withdrawn: every page is made anew when it is next read. */
export async function POST(request: Request): Promise<Response> {
  try {
    const event = await verifyWebhook(request, process.env.WEBHOOK_SECRET ?? "");
    if (event.type.startsWith("post.")) revalidatePath("/", "layout");
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    return new Response(error.reason, { status: 401 });
  }
}
