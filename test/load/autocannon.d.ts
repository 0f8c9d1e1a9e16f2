/** As much of autocannon as we use; it comes without types. */
declare module "autocannon" {
  type Request = { method: string; path: string; headers?: Record<string, string>; body?: string };
  type Client = { setRequests: (requests: Request[]) => void };
  type Options = { url: string; connections: number; duration: number; setupClient: (client: Client) => void };
  type Result = { requests: { total: number; average: number }; non2xx: number; errors: number };
  export default function autocannon(options: Options): Promise<Result>;
}
