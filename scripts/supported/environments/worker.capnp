using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (services = [(name = "main", worker = .app)]);

const app :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker-bundle.mjs")],
  bindings = [(name = "APP", service = "main")],
  compatibilityDate = "2026-10-01",
  compatibilityFlags = ["no_handle_cross_request_promise_resolution"],
);
